import { quotedTable } from "../../pipelines/sinks/clickhouse/target-table.js";
import {
  isReplacing,
  type MarkedPlace,
  markedPlaces,
  marksIn,
  marksQuery,
  type TableMark,
} from "../../pipelines/sinks/clickhouse/written-places.js";
import type { ClickHouseRow } from "../../pipelines/sinks/clickhouse-server.js";
import type { Category, IndexedChain } from "../reads/data-reads.js";
import { clickHouseChains } from "./clickhouse-chains.js";
import type { ClickHousePlace } from "./clickhouse-place.js";
import { chainsOf, clickHouseTable, clickHouseTables } from "./clickhouse-tables.js";
import type { Parameters } from "./read-chain.js";

/** How far the tables of a chain are filled, and what reads have learned about them since. */
export interface KeptPlaces {
  readonly places: ReadonlyMap<string, MarkedPlace>;
  readonly found: Map<string, unknown>;
  /** Whether it was read just now, and not for an earlier read. */
  readonly isNew: boolean;
  /** When it was read, in milliseconds since 1970. */
  readonly readAt: number;
}

/** The result of a look at the tables of a chain. */
export interface Look {
  readonly marks: ReadonlyMap<string, TableMark>;
  /** All chains, as returned by `listText`; `undefined` if they were not read. */
  readonly list: string | undefined;
}

/**
 * Milliseconds after which places with open blocks are read again. Rows prove that they were not replaced, but not that they
 * no longer can be.
 */
const openFor = 10_000;

/** What earlier reads learned about chains. Valid while a look at the tables finds them unchanged. */
export class KeptChains {
  readonly #place: ClickHousePlace;
  readonly #settings: string;
  readonly #now: () => number;
  readonly #places = new Map<string, KeptPlaces>();
  #list: readonly IndexedChain[] | undefined;

  /**
   * @param settings of each statement
   * @param now milliseconds since 1970
   */
  constructor(place: ClickHousePlace, settings: string, now: () => number) {
    this.#place = place;
    this.#settings = settings;
    this.#now = now;
  }

  /** The chains that have tables. @param isNew whether they have to be read now */
  async list(isNew: boolean): Promise<{ readonly chains: readonly IndexedChain[]; readonly isNew: boolean }> {
    if (this.#list && !isNew) return { chains: this.#list, isNew: false };
    this.#list = await clickHouseChains(this.#place);
    return { chains: this.#list, isNew: true };
  }

  /** Whether a chain has tables; it does not lose them. */
  async hasTables(name: string): Promise<boolean> {
    const isIn = (chains: readonly IndexedChain[] = []): boolean =>
      chains.some(({ chain }) => chain === name);
    return isIn(this.#list) || isIn((await this.list(true)).chains);
  }

  /** How far the tables of a chain are filled. @param isNew whether this must be read now */
  async placesOf(name: string, isNew: boolean): Promise<KeptPlaces> {
    const before = this.#places.get(name);
    if (before && !isNew && !this.#isDue(before)) return before;
    const { server, address } = this.#place;
    const places = await markedPlaces(server, clickHouseTables(address.database, name), this.#settings);
    const kept = { places, found: new Map(), isNew: false, readAt: this.#now() };
    this.#places.set(name, kept);
    return { ...kept, isNew: true };
  }

  #isDue({ places, readAt }: KeptPlaces): boolean {
    const all = [...places.values()];
    const isOld = Math.abs(this.#now() - readAt) >= openFor;
    return all.some(isReplacing) || (isOld && all.some(({ open }) => open.length > 0));
  }

  /** Looks at the tables of a chain. @param withList whether to include the list of chains */
  async look(name: string, withList: boolean): Promise<Look> {
    const { server, address } = this.#place;
    const flow = clickHouseTables(address.database, name);
    const { sql, parameters } = marksQuery(flow);
    const also = withList ? `UNION ALL ${listQuery(address.database)}` : "";
    const rows = await server.query(`${sql} ${also} ${this.#settings}`, parameters);
    const list = rows
      .filter(({ kind }) => kind === "chain")
      .map(({ sink, target, serial }) => chainText(String(sink), Number(target), Number(serial) === 1));
    return { marks: marksIn(flow, rows), list: withList ? list.sort().join() : undefined };
  }

  /** A table in SQL. */
  table(name: string, category: Category): string {
    return quotedTable({ database: this.#place.address.database, name: clickHouseTable(name, category) });
  }

  /** @throws ClickHouseError */
  query(sql: string, parameters: Parameters): Promise<readonly ClickHouseRow[]> {
    const texts = Object.entries(parameters).map(([key, value]) => [key, String(value)]);
    return this.#place.server.query(`${sql} ${this.#settings}`, Object.fromEntries(texts));
  }
}

/** The list of chains as one text. */
export function listText(chains: readonly IndexedChain[]): string {
  return chains
    .map(({ chain, firstBlock, natives }) => chainText(chain, firstBlock, natives))
    .sort()
    .join();
}

function chainText(chain: string, firstBlock: number, natives: boolean): string {
  return `${chain} ${firstBlock} ${natives}`;
}

/** The list of chains in the columns of marks. */
function listQuery(database: string): string {
  return `SELECT chain, toString(first_block), 'chain', toUInt64(natives) FROM ${chainsOf(database)} FINAL`;
}
