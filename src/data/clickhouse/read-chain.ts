import type { MarkedPlace } from "../../pipelines/sinks/clickhouse/written-places.js";
import type { ClickHouseRow } from "../../pipelines/sinks/clickhouse-server.js";
import type { KnownBlock } from "../chains/known-block.js";
import type { Category } from "../reads/data-reads.js";

/** Values of `{name:Type}` in a statement. */
export type Parameters = Readonly<Record<string, string | number>>;

/** The tables of a chain during a read. Rows from a table's position on are ignored. */
export interface ReadChain {
  readonly name: string;
  readonly places: ReadonlyMap<string, MarkedPlace>;
  /** A table in SQL. */
  table(category: Category): string;
  /** An earlier result, which is valid while the tables do not change; otherwise computes it now. */
  remembered<Found>(what: string, find: () => Promise<Found>): Promise<Found>;
  /** Reads rows, which a later look at the tables must prove. @throws ClickHouseError */
  query(sql: string, parameters?: Parameters): Promise<readonly ClickHouseRow[]>;
  /**
   * Reads every version of rows, deleted ones as well, which prove themselves: a row that has replaced another has a
   * later version than the committed rows. So the look at the tables runs in parallel instead of afterwards.
   * @param sql selects all rows of a range by their keys, with their `version`
   * @param categoryOf the table of a row
   * @param isSealed whether the rows are read with those of `seal`
   * @throws ClickHouseError; ReplacedRows
   */
  versions(
    sql: string,
    parameters: Parameters,
    categoryOf: (row: ClickHouseRow) => Category,
    isSealed?: boolean,
  ): Promise<readonly ClickHouseRow[]>;
  /**
   * The rows of blocks that show whether the table is unchanged since an earlier read; `undefined` if there was none.
   * Reading them with `versions` replaces a look at the tables.
   */
  seal(): BlocksSeal | undefined;
  /** Declares that the rows of `versions` are not selected by keys alone, so that they do not prove themselves. */
  doubt(): void;
  /** Starts a look at the tables now, after all reads, in parallel with other work. */
  prove(): void;
}

/**
 * Blocks arrive in the order of their numbers, and every batch has some. So the table is unchanged while it contains
 * the last block in the same version, no later block, and no later version of a block that may be replaced.
 */
export interface BlocksSeal {
  /** The condition that selects these rows. */
  readonly sql: string;
  readonly parameters: Parameters;
  /** @throws ReplacedRows if the rows do not show that the table is unchanged */
  check(live: readonly ClickHouseRow[]): void;
}

/** A block of the table with its version. */
export interface VersionedBlock extends KnownBlock {
  readonly version: number;
}

/** The key under which the last block is remembered. */
export const headName = "head";

/** A row that was read has been replaced meanwhile. */
export class ReplacedRows extends Error {
  override readonly name = "ReplacedRows";
}

/** The last block with rows in a table; -1 if there is none. */
export function endOf({ places }: Pick<ReadChain, "places">, category: Category): number {
  return (places.get(category)?.next ?? 0) - 1;
}

/**
 * The last versions of rows, without deleted rows.
 * @param rows with `version` and `is_deleted`
 * @param keyOf the key that all versions of a row share
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
