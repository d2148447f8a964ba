import { repeat } from "../../base/repeat.js";
import { Semaphore } from "../../base/semaphore.js";
import type { World } from "../../base/world.js";
import { type Database, DatabaseError, SQL, type Sql } from "../../store/database/database.js";
import { readLocks, standDown, standFor, tryLock, unlock } from "./lease-locks.js";
import { Shares, type WantedShare } from "./shares.js";

/** Times of leases, in milliseconds. */
export interface LeaseTimes {
  /** Between two looks who holds what, and whether our locks are still held. */
  readonly look: number;
  /** After so long without a word of ours the server takes the locks away: this process hangs, or cannot reach it. */
  readonly silence: number;
}

const defaultTimes: LeaseTimes = { look: 3_000, silence: 15_000 };

/** Which deployments this process may index: no two of those that share a database have the same one. */
export interface Leases {
  /**
   * Takes the lease of a deployment, unless another server has it or is to have it.
   * @param isAwaited whether somebody waits for the deployment, which was just made or resumed
   * @returns whether it is ours now
   * @throws DatabaseError
   */
  take(wanted: WantedShare, isAwaited: boolean): Promise<boolean>;
  /** Whether the server says that it is still ours. */
  holds(deployment: string): Promise<boolean>;
  giveBack(deployment: string): Promise<void>;
  /** Takes nothing more, and has others no longer leave anything to us. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** Who needs leases: a server that has nodes of some networks. */
export interface LeaseHolder {
  readonly networks: readonly string[];
  /** What it was asked to index and would, if it could take the leases. */
  wanted(): readonly WantedShare[];
  /** The connection was lost, and with it these leases. */
  lost(deployments: readonly string[]): void;
  /** Some of what is wanted can be taken now. */
  free(): void;
  /** This server has more than its share: it is to end the work on these and to give them back. */
  handOver(deployments: readonly string[]): void;
}

/**
 * On a server, a lease is a lock that a connection holds: it is gone with the process, however that ends, and a while
 * after the process has hung or the network was cut. Who has lost one without knowing can still write nothing that does
 * not follow what the others wrote (`moveHead`). Another lock shows that a server is there to take leases, so that
 * each can see what its share is. PGlite has one process.
 */
export function createLeases(
  database: Database,
  world: Pick<World, "timeout">,
  holder: LeaseHolder,
  times: LeaseTimes = defaultTimes,
): Leases {
  if (database.provider === "postgres") return new LockLeases(database, world, holder, times);
  const nothing = async (): Promise<void> => undefined;
  return {
    take: async () => true,
    holds: async () => true,
    ...{ giveBack: nothing, retire: nothing, close: nothing },
  };
}

/** A connection with a transaction that lasts as long as leases are held. It reads no tables, so that it holds up nobody. */
interface Session {
  readonly sql: Sql;
  readonly ended: Promise<void>;
}

/** @returns whether the connection was not lost before it was done */
async function whileThere(session: Promise<Session>, work: (sql: Sql) => Promise<void>): Promise<boolean> {
  try {
    await work((await session).sql);
    return true;
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return false;
  }
}

class LockLeases implements Leases {
  readonly #database: Database;
  readonly #world: Pick<World, "timeout">;
  readonly #holder: LeaseHolder;
  readonly #times: LeaseTimes;
  readonly #closing = new AbortController();
  /** One is taken after the other: what was taken before counts. */
  readonly #mutex = new Semaphore(1);
  #shares: Shares;
  #session: Promise<Session> | undefined;
  #isRetired = false;

  constructor(database: Database, world: Pick<World, "timeout">, holder: LeaseHolder, times: LeaseTimes) {
    this.#database = database;
    this.#world = world;
    this.#holder = holder;
    this.#times = times;
    this.#shares = new Shares(() => holder.wanted());
  }

  take(wanted: WantedShare, isAwaited: boolean): Promise<boolean> {
    return this.#mutex.run(async () => {
      const { deployment } = wanted;
      if (this.#isRetired) return false;
      if (this.#shares.has(deployment)) return true;
      const opened = this.#open();
      const { sql } = await opened;
      if (!this.#shares.isForUs(wanted, isAwaited) || !(await tryLock(sql, deployment))) return false;
      // It may have been lost meanwhile.
      const isTaken = this.#session === opened;
      if (isTaken) this.#shares.took(wanted);
      return isTaken;
    });
  }

  async holds(deployment: string): Promise<boolean> {
    const session = this.#session;
    if (!session || !this.#shares.has(deployment)) return false;
    const isThere = await whileThere(session, async (sql) => void (await sql.query(SQL`select 1`)));
    return isThere && this.#session === session;
  }

  async giveBack(deployment: string): Promise<void> {
    const session = this.#session;
    // A connection that is lost has given back everything.
    if (this.#shares.gaveBack(deployment) && session)
      await whileThere(session, (sql) => unlock(sql, deployment));
  }

  async retire(): Promise<void> {
    this.#isRetired = true;
    if (this.#session) await whileThere(this.#session, (sql) => standDown(sql, this.#holder.networks));
  }

  async close(): Promise<void> {
    this.#isRetired = true;
    this.#closing.abort();
    const session = await this.#session?.catch(() => undefined);
    await session?.ended;
  }

  #open(): Promise<Session> {
    this.#session ??= this.#begin();
    return this.#session;
  }

  #begin(): Promise<Session> {
    return new Promise((resolve, reject) => {
      const ended: Promise<void> = this.#database
        .transaction((sql) => this.#hold(sql, () => resolve({ sql, ended })))
        .catch((error: unknown) => {
          reject(error);
          this.#lose();
        });
    });
  }

  async #hold(sql: Sql, begun: () => void): Promise<void> {
    const { look, silence } = this.#times;
    await sql.run(SQL`set local idle_in_transaction_session_timeout = ${silence}`);
    await standFor(sql, this.#holder.networks);
    await this.#look(sql);
    begun();
    // Heartbeat: the server ends a connection of which it hears nothing.
    await repeat(look, this.#world, this.#closing.signal, async () => {
      const free = await this.#look(sql);
      if (this.#isRetired) return;
      if (free.length > 0) this.#holder.free();
      const surplus = this.#shares.surplus();
      if (surplus.length > 0) this.#holder.handOver(surplus);
    });
    // The connection goes back to others.
    await sql.query(SQL`select pg_advisory_unlock_all()`);
  }

  /** @returns what could be taken */
  async #look(sql: Sql): Promise<readonly string[]> {
    const wanted = this.#holder.wanted();
    const networks = new Set([...this.#holder.networks, ...wanted.map(({ network }) => network)]);
    const deployments = wanted.map(({ deployment }) => deployment);
    return this.#shares.see(await readLocks(sql, [...networks], deployments));
  }

  #lose(): void {
    this.#session = undefined;
    const { held } = this.#shares;
    this.#shares = new Shares(() => this.#holder.wanted());
    if (!this.#closing.signal.aborted) this.#holder.lost(held);
  }
}
