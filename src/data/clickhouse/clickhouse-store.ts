import { ClickHouseError } from "../../pipelines/sinks/clickhouse-server.js";
import type { Database } from "../../store/database/database.js";
import { Refusal } from "../answers/refusal.js";
import { dataChainOfTables } from "../chains/data-chain.js";
import type { DataStore } from "../reads/data-reads.js";
import { PostgresCatalog } from "../reads/postgres-catalog.js";
import { failedRead, readSnapshot, timedOut } from "../reads/postgres-store.js";
import type { ClickHousePlace } from "./clickhouse-place.js";
import { ClickHouseReads } from "./clickhouse-reads.js";
import { KeptChains } from "./kept-chains.js";
import { OpenedChains } from "./opened-chains.js";
import { ReplacedRows } from "./read-chain.js";

export interface ClickHouseStoreOptions extends ClickHousePlace {
  /** The database with the catalog. */
  readonly database: Database;
  /** Milliseconds that a statement may take. */
  readonly limit: number;
  readonly wait: (milliseconds: number) => Promise<unknown>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** A data store that also opens its tables for other reads. */
export interface ClickHouseStore extends DataStore {
  read<Result>(work: (reads: ClickHouseReads) => Promise<Result>): Promise<Result>;
}

/** Error codes of statements that exceeded their time limit, or were refused because they would. */
const ended: ReadonlySet<number | undefined> = new Set([159, 160]);

/** How often to read data again that changes meanwhile, and the milliseconds in between. */
const attempts = 20;
const pause = 100;

/** How often to retry a read that a busy server refuses. */
const retries = 3;

/**
 * Reads from the ClickHouse tables that pipelines fill. ClickHouse has no transactions, so each read proves that none
 * of its rows was replaced meanwhile; otherwise it reads again.
 */
export function createClickHouseStore(options: ClickHouseStoreOptions): ClickHouseStore {
  const { database, limit, wait } = options;
  const kept = new KeptChains(options, `SETTINGS max_execution_time = ${limit / 1000}`, options.now);

  /**
   * Reads, and returns a function for the outcome; `undefined` if the read mixes several moments.
   * @param opened receives the chains that are read
   */
  async function readOnce<Result>(
    work: (reads: ClickHouseReads) => Promise<Result>,
    opened: OpenedChains,
  ): Promise<(() => Result) | undefined> {
    const reads = new ClickHouseReads({
      chain: (name) => opened.open(name),
      chains: () => opened.list(),
      hasTables: (name) => kept.hasTables(name),
      catalog: (ask, isSingle) =>
        readSnapshot(database, limit, (sql) => ask(new PostgresCatalog(sql)), isSingle),
    });
    let outcome: () => Result;
    try {
      const result = await work(reads);
      outcome = () => result;
    } catch (error) {
      if (error instanceof ReplacedRows) return undefined;
      // A block that seems to be replaced may be half written.
      if (!(error instanceof Refusal)) throw error;
      outcome = () => {
        throw error;
      };
    }
    return (await opened.isOneMoment()) ? outcome : undefined;
  }

  /** Why a read failed; `undefined` if it may be retried. @param failures the number of earlier failures */
  function refusalOf(error: ClickHouseError, failures: number): Refusal | undefined {
    if (error.isSilent || ended.has(error.code)) return timedOut(limit, error);
    return error.isTemporary && failures < retries ? undefined : failedRead(error);
  }

  const read: ClickHouseStore["read"] = async (work) => {
    const names = new Set<string>();
    let failures = 0;
    for (let tried = 0; tried < attempts; tried++) {
      // The first attempt trusts the results of earlier reads.
      const opened = new OpenedChains(kept, tried > 0);
      try {
        const outcome = await readOnce(work, opened);
        if (outcome) return outcome();
      } catch (error) {
        if (!(error instanceof ClickHouseError)) throw error;
        const refusal = refusalOf(error, failures++);
        if (refusal) throw refusal;
      }
      for (const name of opened.names()) names.add(dataChainOfTables(name)?.feedsSlug ?? name);
      if (tried > 0 || failures > 0) await wait(pause);
    }
    throw new Refusal(
      "UNAVAILABLE",
      "The tables are being changed after a reorganisation. Try again in a few seconds. If the problem persists, restart data sync.",
      { chains: [...names], retryAfter: 2 },
    );
  };
  return { read, readOnce: (_, work) => read(work) };
}
