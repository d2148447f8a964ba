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
  /** @throws ClickHouseError */
  query(sql: string, parameters?: Parameters): Promise<readonly ClickHouseRow[]>;
}

/** The last block whose rows are in a table; -1 if there is none. */
export function endOf({ places }: Pick<ReadChain, "places">, category: Category): number {
  return (places.get(category)?.next ?? 0) - 1;
}
