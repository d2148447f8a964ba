import { quotedTable } from "../../flows/sinks/clickhouse/target-table.js";
import {
  isReplacing,
  type MarkedPlace,
  markedPlaces,
  type TableMark,
  tableMarks,
} from "../../flows/sinks/clickhouse/written-places.js";
import { ClickHouseError } from "../../flows/sinks/clickhouse-server.js";
import type { Database } from "../../store/database/database.js";
import { Refusal } from "../answers/refusal.js";
import { dataChainOfTables } from "../chains/data-chain.js";
import type { DataStore, IndexedChain } from "../reads/data-reads.js";
import { PostgresCatalog } from "../reads/postgres-catalog.js";
import { failedRead, readSnapshot, timedOut } from "../reads/postgres-store.js";
import { clickHouseChains } from "./clickhouse-chains.js";
import type { ClickHousePlace } from "./clickhouse-place.js";
import { ClickHouseReads } from "./clickhouse-reads.js";
import { clickHouseTable, clickHouseTables } from "./clickhouse-tables.js";
import type { ReadChain } from "./read-chain.js";

/** What reading takes. */
export interface ClickHouseStoreOptions extends ClickHousePlace {
  /** The database with the catalog. */
  readonly database: Database;
  /** Milliseconds that a statement may take. */
  readonly limit: number;
  /** Waits some milliseconds. */
  readonly wait: (milliseconds: number) => Promise<unknown>;
}

/** The store, which also gives its tables to other reads. */
export interface ClickHouseStore extends DataStore {
  read<Result>(work: (reads: ClickHouseReads) => Promise<Result>): Promise<Result>;
}

/** How far tables are filled, and what was found out about them since. */
interface KeptPlaces {
  readonly places: ReadonlyMap<string, MarkedPlace>;
  readonly found: Map<string, unknown>;
}

/** Statements that were ended because of their time limit, or refused since they would not keep it. */
const ended: ReadonlySet<number | undefined> = new Set([159, 160]);

/** How often something is read again that has changed meanwhile, and the milliseconds in between. */
const attempts = 20;
const pause = 100;

/** How often something is read again that a busy server has refused. */
const retries = 3;

/**
 * Reads from the tables that flows fill in ClickHouse. It has no transactions, so each read proves that no row that it has
 * looked at was replaced meanwhile: else it reads again.
 */
export function createClickHouseStore(options: ClickHouseStoreOptions): ClickHouseStore {
  const { server, address, database, limit, wait } = options;
  const settings = `SETTINGS max_execution_time = ${limit / 1000}`;
  const kept = new Map<string, KeptPlaces>();

  /** Chains that are known to have tables; they do not lose them. */
  const filled = new Set<string>();
  async function chains(): Promise<readonly IndexedChain[]> {
    const found = await clickHouseChains(options);
    for (const { chain } of found) filled.add(chain);
    return found;
  }

  /** How far the tables of a chain are filled. Open blocks are many, and are read again only if they have changed. */
  async function placesOf(chain: string): Promise<KeptPlaces> {
    const tables = clickHouseTables(address.database, chain);
    const before = kept.get(chain);
    if (before) {
      const marks = await tableMarks(server, tables, settings);
      if (isSame(before.places, marks, ["written", "replaced"])) return before;
    }
    const places = { places: await markedPlaces(server, tables, settings), found: new Map() };
    kept.set(chain, places);
    return places;
  }

  async function open(name: string): Promise<ReadChain> {
    const { places, found } = await placesOf(name);
    return {
      name,
      places,
      remembered: async <Found>(what: string, find: () => Promise<Found>) => {
        const known = found.has(what) ? (found.get(what) as Found) : await find();
        found.set(what, known);
        return known;
      },
      table: (category) => quotedTable({ database: address.database, name: clickHouseTable(name, category) }),
      query: (sql, parameters = {}) =>
        server.query(
          `${sql} ${settings}`,
          Object.fromEntries(Object.entries(parameters).map(([key, value]) => [key, String(value)])),
        ),
    };
  }

  /** Whether no row of chains was replaced since they were opened. */
  async function isUnchanged(opened: ReadonlyMap<string, Promise<ReadChain>>): Promise<boolean> {
    const all = await Promise.all(
      [...opened].map(async ([name, chain]) => {
        const { places } = await chain;
        if ([...places.values()].some(isReplacing)) return false;
        const marks = await tableMarks(server, clickHouseTables(address.database, name), settings);
        return isSame(places, marks, ["replaced"]);
      }),
    );
    return all.every((unchanged) => unchanged);
  }

  /**
   * Reads, and gives what to do with the outcome; nothing if it is of no single moment.
   * @param opened gets the chains that are read
   */
  async function readOnce<Result>(
    work: (reads: ClickHouseReads) => Promise<Result>,
    opened: Map<string, Promise<ReadChain>>,
  ): Promise<(() => Result) | undefined> {
    const reads = new ClickHouseReads({
      chain: (name) => {
        const chain = opened.get(name) ?? open(name);
        opened.set(name, chain);
        return chain;
      },
      chains,
      hasTables: async (name) => filled.has(name) || (await chains()).some(({ chain }) => chain === name),
      catalog: (ask) => readSnapshot(database, limit, (sql) => ask(new PostgresCatalog(sql))),
    });
    let outcome: () => Result;
    try {
      const result = await work(reads);
      outcome = () => result;
    } catch (error) {
      // A block that seems to be replaced may be one that is being written.
      if (!(error instanceof Refusal)) throw error;
      outcome = () => {
        throw error;
      };
    }
    return (await isUnchanged(opened)) ? outcome : undefined;
  }

  /** Why a read has failed; nothing if it may be tried again. @param failures that it had before */
  function refusalOf(error: ClickHouseError, failures: number): Refusal | undefined {
    if (error.isSilent || ended.has(error.code)) return timedOut(limit, error);
    return error.isTemporary && failures < retries ? undefined : failedRead(error);
  }

  const read: ClickHouseStore["read"] = async (work) => {
    const names = new Set<string>();
    let failures = 0;
    for (let tried = 0; tried < attempts; tried++) {
      const opened = new Map<string, Promise<ReadChain>>();
      try {
        const outcome = await readOnce(work, opened);
        if (outcome) return outcome();
      } catch (error) {
        if (!(error instanceof ClickHouseError)) throw error;
        const refusal = refusalOf(error, failures++);
        if (refusal) throw refusal;
      }
      for (const name of opened.keys()) names.add(dataChainOfTables(name)?.feedsSlug ?? name);
      await wait(pause);
    }
    throw new Refusal(
      "UNAVAILABLE",
      "The tables are being changed after a reorganisation. Try again in a few seconds. If the problem persists, restart data sync.",
      { chains: [...names], retryAfter: 2 },
    );
  };
  return { read, readOnce: (_, work) => read(work) };
}

function isSame(
  places: ReadonlyMap<string, TableMark>,
  marks: ReadonlyMap<string, TableMark>,
  fields: readonly (keyof TableMark)[],
): boolean {
  return [...places].every(([sink, place]) =>
    fields.every((field) => marks.get(sink)?.[field] === place[field]),
  );
}
