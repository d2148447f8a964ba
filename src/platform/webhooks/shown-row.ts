import type { Row, SqlText } from "../../store/database/database.js";
import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";

/** A row in the form that receivers get. */
export type RowValues = Readonly<Record<string, unknown>>;

/** The blocks in which a row is valid: from the first, and, if the row has ended, up to but not including the last. */
export interface BlockRange {
  readonly from: number;
  readonly to?: number;
}

/**
 * Converts a row to the form that receivers get: its columns, `vid` and `block_range`. As in query answers, numbers that
 * JSON cannot hold are strings of digits, bytes are hexadecimal with `0x`, and times are microseconds since 1970.
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
