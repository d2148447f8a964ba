import type { MarkedPlace } from "../../flows/sinks/clickhouse/written-places.js";
import type { ClickHouseRow } from "../../flows/sinks/clickhouse-server.js";
import type { Category } from "../reads/data-reads.js";

/** Values of `{name:Type}` in a statement. */
export type Parameters = Readonly<Record<string, string | number>>;

/** The tables of a chain while something is read of them. Rows from a table's position on are not looked at. */
export interface ReadChain {
  readonly name: string;
  readonly places: ReadonlyMap<string, MarkedPlace>;
  /** A table in SQL. */
  table(category: Category): string;
  /** What was found out before and holds as long as the tables do not change; else it is found out now. */
  remembered<Found>(what: string, find: () => Promise<Found>): Promise<Found>;
  /** Reads rows, which a look at the tables afterwards has to prove. @throws ClickHouseError */
  query(sql: string, parameters?: Parameters): Promise<readonly ClickHouseRow[]>;
  /**
   * Reads every version of rows, deleted ones as well, which prove themselves: one that has replaced another has a later
   * version than those that were committed. So the tables are looked at meanwhile, instead of afterwards.
   * @param sql selects all rows of a range by their keys, with their `version`
   * @param categoryOf the table of a row
   * @throws ClickHouseError; ReplacedRows
   */
  versions(
    sql: string,
    parameters: Parameters,
    categoryOf: (row: ClickHouseRow) => Category,
  ): Promise<readonly ClickHouseRow[]>;
  /** Says that what is read with `versions` is not selected by keys alone, so that it does not prove itself. */
  doubt(): void;
  /** Looks at the tables now, after all that is read of them, while something else is done. */
  prove(): void;
}

/** A row that was read has been replaced meanwhile. */
export class ReplacedRows extends Error {
  override readonly name = "ReplacedRows";
}

/** The last block whose rows are in a table; -1 if there is none. */
export function endOf({ places }: Pick<ReadChain, "places">, category: Category): number {
  return (places.get(category)?.next ?? 0) - 1;
}

/**
 * The last versions of rows, without those that are deleted.
 * @param rows with `version` and `is_deleted`
 * @param keyOf what all versions of a row have in common
 */
export function lastVersions(
  rows: readonly ClickHouseRow[],
  keyOf: (row: ClickHouseRow) => string,
): readonly ClickHouseRow[] {
  const last = new Map<string, ClickHouseRow>();
  for (const row of rows) {
    const key = keyOf(row);
    const other = last.get(key);
    if (!other || Number(row.version) > Number(other.version)) last.set(key, row);
  }
  return [...last.values()].filter(({ is_deleted }) => Number(is_deleted) === 0);
}
