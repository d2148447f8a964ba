import { cell } from "../store/database/columns.js";
import { SQL, type Sql, type SqlFragment } from "../store/database/database.js";
import type { StoredColumn, StoredTable } from "./dump-tables.js";
import type { TextColumns } from "./write-dump-file.js";

/** The rows of a file. */
export interface WantedRows {
  readonly table: StoredTable;
  readonly columns: readonly StoredColumn[];
  /** The vid before the first one, and the last one. */
  readonly from: bigint;
  readonly to: bigint;
  /** Of the parameters `$1` (from), `$2` (to) and `$3`. */
  readonly condition: SqlFragment;
  readonly more: readonly string[];
}

/** Rows of one statement. */
export interface RowBatch {
  readonly columns: TextColumns;
  /** About how many characters the values have. */
  readonly characters: number;
}

/** Rows of one statement: enough to be fast, while they have about this many characters. */
const batchCharacters = 2 * 1024 * 1024;
const mostBatchRows = 10_000;

/** Reads rows in the order of their vids, as many at a time as fit into memory. @throws DatabaseError */
export async function* readRows(sql: Sql, wanted: WantedRows): AsyncGenerator<RowBatch> {
  const { table, columns, condition, to, more } = wanted;
  const selected = columns.map((column, index) => SQL`${column.selected} as c${index}`);
  let { from } = wanted;
  let limit = 100;
  for (;;) {
    const rows = await sql.query(
      SQL`select ${selected} from ${table.name} where ${condition} order by vid limit ${limit}`,
      [String(from), String(to), ...more],
    );
    if (rows.length === 0) return;
    const characters = rows.reduce(
      (sum, row) => sum + Object.values(row).reduce((all, value) => all + (value?.length ?? 4), 0),
      0,
    );
    yield { columns: columns.map((_, index) => rows.map((row) => row[`c${index}`] ?? null)), characters };
    const last = rows.at(-1);
    from = BigInt(last ? cell(last, "c0") : to);
    if (rows.length < limit) return;
    const next = Math.floor((batchCharacters / Math.max(1, characters)) * rows.length);
    limit = Math.max(1, Math.min(mostBatchRows, next, 4 * limit));
  }
}
