import type { Row, SqlText } from "../../store/database/database.js";
import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";

/** A row as receivers get it. */
export type RowValues = Readonly<Record<string, unknown>>;

/** In which blocks a version is valid: from one on, up to another if it has ended. */
export interface BlockRange {
  readonly from: number;
  readonly to?: number;
}

/**
 * A row as receivers get it: its columns, `vid` and `block_range`. Numbers that can be larger than those of JSON are
 * texts of digits, bytes are hexadecimal with `0x`, times are microseconds since 1970, as queries answer them.
 * @param row in the database's text form
 */
export function shownRow(table: EntityTable, row: Row, { from, to }: BlockRange): RowValues {
  return {
    ...Object.fromEntries(table.columns.map((column) => [column.name, sent(column, row[column.name])])),
    vid: row.vid ?? null,
    block_range: `[${from},${to ?? ""})`,
  };
}

function sent({ codec }: EntityColumn, value: SqlText | undefined): unknown {
  return value == null ? null : codec.sent(value);
}
