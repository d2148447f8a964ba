import { repeat } from "../../base/text/repeat.js";
import { Semaphore } from "../../base/turns/semaphore.js";
import type { World } from "../../base/world.js";
import { type Database, DatabaseError, SQL, type Sql } from "../../store/database/database.js";
import { readLocks, standDown, standFor, tryLock, unlock } from "./lease-locks.js";
import { Shares, type WantedShare } from "./shares.js";

/** Times of leases, in milliseconds. */
export interface LeaseTimes {
  /** The interval between checks of who holds which lease, and whether our locks are still held. */
  readonly look: number;
  /**
   * After this long without a message from us, the server releases our locks, because this process hangs or cannot
   * reach it.
   */
  readonly silence: number;
}

const defaultTimes: LeaseTimes = { look: 3_000, silence: 15_000 };

/** The deployments that this process may index. No two processes on one database hold the same one. */
export interface Leases {
  /**
   * Takes the lease of a deployment, unless another server holds it or should get it.
   * @param isAwaited whether a user waits for the deployment, which was just created or resumed
   * @returns whether it is ours now
   * @throws DatabaseError
   */
  take(wanted: WantedShare, isAwaited: boolean): Promise<boolean>;
  /** Whether the server confirms that it is still ours. */
  holds(deployment: string): Promise<boolean>;
  giveBack(deployment: string): Promise<void>;
  /** Takes no more leases, and makes the others leave none to us. */
  retire(): Promise<void>;
  close(): Promise<void>;
}

/** The owner of leases: a server with nodes for some networks. */
export interface LeaseHolder {
  readonly networks: readonly string[];
  /** The deployments that it would index if it could take their leases. */
  wanted(): readonly WantedShare[];
  /** Called when the connection was lost, and these leases with it. */
  lost(deployments: readonly string[]): void;
  /** Called when some wanted leases are free. */
  free(): void;
  /** Called when this server has more than its share and must stop these deployments and give them back. */
  handOver(deployments: readonly string[]): void;
}

/**
 * On a PostgreSQL server, a lease is a lock that a connection holds. It ends with the process, however that ends, and a
 * while after the process hangs or the network fails. A process that lost a lease without noticing cannot write
 * anything that does not follow the others' writes (`moveHead`). A second lock shows that a server is ready to take
 * leases, so that each server can compute its share. PGlite has only one process.
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
    giveBack: nothing,
    retire: nothing,
    close: nothing,
  };
}

/**
 * A connection with a transaction that stays open while leases are held. It reads no tables, so it blocks no
 * one.
 */
interface Session {
  readonly sql: Sql;
  readonly ended: Promise<void>;
}

/** @returns whether it finished before the connection was lost */
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
  /** Leases are taken one after another, because earlier ones count towards the share. */
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
    // A lost connection has released everything.
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
    // Heartbeat: the server ends a silent connection.
    await repeat(look, this.#world, this.#closing.signal, async () => {
      const free = await this.#look(sql);
      if (this.#isRetired) return;
      if (free.length > 0) this.#holder.free();
      const surplus = this.#shares.surplus();
      if (surplus.length > 0) this.#holder.handOver(surplus);
    });
    // The connection returns to the pool.
    await sql.query(SQL`select pg_advisory_unlock_all()`);
  }

  /** @returns the leases it could take */
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
