import type { World } from "../../../base/world.js";
import type { Database, Sql } from "../../database/database.js";
import { wait } from "../wait.js";

/** Tells our locks from those of others in the same database. */
const seed = "7236540195";
/** Times of leases, in milliseconds. */
export interface LeaseTimes {
  /** Between two looks whether the locks are still held. */
  readonly look: number;
  /** After so long without a word of ours the server takes the locks away: this process hangs, or cannot reach it. */
  readonly silence: number;
}

const defaultTimes: LeaseTimes = { look: 3_000, silence: 15_000 };

/** Which deployments this process may index: no two of those that share a database have the same one. */
export interface Leases {
  /** @returns whether it is ours now @throws DatabaseError */
  take(deployment: string): Promise<boolean>;
  /** @throws DatabaseError */
  giveBack(deployment: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * On a server, a lease is a lock that a connection holds: it is gone with the process, however that ends, and a while
 * after the process has hung or the network was cut. Who has lost one without knowing can still write nothing that does
 * not follow what the others wrote (`moveHead`). PGlite has one process.
 * @param onLost is told when the connection was lost, and with it all leases
 */
export function createLeases(
  database: Database,
  world: Pick<World, "timeout">,
  onLost: (deployments: readonly string[]) => void,
  times: LeaseTimes = defaultTimes,
): Leases {
  if (database.provider === "postgres") return new LockLeases(database, world, onLost, times);
  return { take: async () => true, giveBack: async () => undefined, close: async () => undefined };
}

/** A connection with a transaction that lasts as long as leases are held. It reads nothing, so that it holds up nobody. */
interface Session {
  readonly sql: Sql;
  readonly ended: Promise<void>;
}

class LockLeases implements Leases {
  readonly #database: Database;
  readonly #world: Pick<World, "timeout">;
  readonly #onLost: (deployments: readonly string[]) => void;
  readonly #times: LeaseTimes;
  readonly #closing = new AbortController();
  readonly #held = new Set<string>();
  #session: Promise<Session> | undefined;

  constructor(
    database: Database,
    world: Pick<World, "timeout">,
    onLost: (deployments: readonly string[]) => void,
    times: LeaseTimes,
  ) {
    this.#database = database;
    this.#world = world;
    this.#onLost = onLost;
    this.#times = times;
  }

  async take(deployment: string): Promise<boolean> {
    if (this.#held.has(deployment)) return true;
    const { sql } = await this.#open();
    const [row] = await sql.query(
      `select pg_try_advisory_lock(hashtextextended($1::text, ${seed})) as taken`,
      [deployment],
    );
    if (row?.taken === "t") this.#held.add(deployment);
    return row?.taken === "t";
  }

  async giveBack(deployment: string): Promise<void> {
    if (!this.#held.delete(deployment)) return;
    const { sql } = await this.#open();
    await sql.query(`select pg_advisory_unlock(hashtextextended($1::text, ${seed}))`, [deployment]);
  }

  async close(): Promise<void> {
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
    await sql.run(`set local idle_in_transaction_session_timeout = ${silence}`);
    begun();
    while (!this.#closing.signal.aborted) {
      await wait(look, this.#world, this.#closing.signal);
      await sql.query("select 1");
    }
    // The connection goes back to others.
    await sql.query("select pg_advisory_unlock_all()");
  }

  #lose(): void {
    this.#session = undefined;
    const lost = [...this.#held];
    this.#held.clear();
    if (!this.#closing.signal.aborted) this.#onLost(lost);
  }
}
