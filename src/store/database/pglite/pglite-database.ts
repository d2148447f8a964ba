import { cpuUsage } from "node:process";
import { reportFailure } from "../../../base/failures.js";
import { present } from "../../../base/invariant.js";
import { guarded, inBackground } from "../../../base/turns/guarded.js";
import { Semaphore } from "../../../base/turns/semaphore.js";
import type { World } from "../../../base/world.js";
import {
  type Database,
  DatabaseError,
  type Row,
  SQL,
  type Sql,
  type SqlText,
  type TransactionOptions,
} from "../database.js";
import { migrate } from "../migrate.js";
import { beginning, runTransaction } from "../run-transaction.js";
import { type Folder, openFolder } from "./folder.js";
import { type ImageStore, imageName } from "./images.js";
import type { PgliteStart } from "./messages.js";
import { PgliteThread } from "./pglite-thread.js";
import { folderUpkeep, memoryUpkeep, Upkeep, type UpkeepLimits } from "./upkeep.js";

/** The parts of the world that the database needs. */
export type PgliteWorld = Pick<World, "timeout" | "now">;

/**
 * Opens a database in a folder. Creates it if the folder is empty or missing.
 * @param folder absolute path; without it the database lives in memory and ends with the process
 * @param images images that new databases start from, with our own tables; a missing image is created from this
 *   database
 * @param limits when to do upkeep
 * @throws DatabaseError if the folder is in use, belongs to another PostgreSQL version, or holds something else
 */
export async function openPglite(
  folder: string | undefined,
  world: PgliteWorld,
  images?: ImageStore,
  limits: UpkeepLimits = folder === undefined ? memoryUpkeep : folderUpkeep,
): Promise<Database> {
  const opened = folder === undefined ? undefined : openFolder(folder);
  const database = new PgliteDatabase(opened, world, limits);
  try {
    await database.open(opened?.isNew === false ? undefined : images);
    opened?.complete();
    return database;
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** One connection, so that statements and transactions take turns. */
class PgliteDatabase implements Database {
  readonly provider = "pglite";
  readonly #folder: Folder | undefined;
  readonly #world: PgliteWorld;
  readonly #mutex = new Semaphore(1);
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  #thread: PgliteThread | undefined;
  #closed: Promise<void> | undefined;
  #isLost = false;
  readonly #limits: UpkeepLimits;
  readonly #upkeep: Upkeep;

  constructor(folder: Folder | undefined, world: PgliteWorld, limits: UpkeepLimits) {
    this.#folder = folder;
    this.#world = world;
    this.#limits = limits;
    this.#upkeep = new Upkeep(limits, () => world.now());
  }

  /** @param images for a new database */
  async open(images: ImageStore | undefined): Promise<void> {
    const image = await images?.get(imageName());
    await this.#take(() => this.#start(image && { image }));
    if (image || !images) return;
    await migrate(this);
    await images.put(imageName(), await this.#take(async () => (await this.#started()).ask("image")));
  }

  query(statement: string, parameters: readonly SqlText[] = []): Promise<readonly Row[]> {
    return this.#take(() => this.#ask((thread) => thread.query(statement, parameters)));
  }

  async run(script: string): Promise<void> {
    await this.#take(() => this.#ask((thread) => thread.ask("run", script)));
  }

  transaction<Result>(
    work: (sql: Sql) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    return this.#take(async () => {
      options.signal?.throwIfAborted();
      const thread = await this.#started();
      const sql: Sql = {
        ...sqlOf((work) => this.#inTime(thread, work, options.statementTimeout)),
        ...(options.isMeasured && { waited: this.#waiting() }),
      };
      await sql.run(beginning(options));
      const rollBack = async (): Promise<void> => {
        if (!thread.isOver) await sql.run(SQL`rollback`);
      };
      const commit = (): Promise<void> => sql.run(SQL`commit`);
      return runTransaction({ sql, signal: options.signal, commit, rollBack }, work);
    });
  }

  async listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>> {
    const known = this.#listeners.get(channel);
    const all = known ?? new Set();
    all.add(hear);
    this.#listeners.set(channel, all);
    if (!known) await this.#take(() => this.#ask((thread) => thread.ask("listen", channel)));
    return async () => {
      all.delete(hear);
      if (all.size > 0 || this.#listeners.get(channel) !== all) return;
      this.#listeners.delete(channel);
      await this.#take(() => this.#ask((thread) => thread.ask("unlisten", channel)));
    };
  }

  freeBytes(): number | undefined {
    return this.#folder?.freeBytes();
  }

  close(): Promise<void> {
    this.#closed ??= this.#mutex.run(async () => {
      const thread = this.#thread;
      this.#thread = undefined;
      try {
        if (thread && !thread.isOver) await thread.ask("close");
      } catch (error) {
        // If it never opened, there is nothing to close.
        if (!(error instanceof DatabaseError)) throw error;
      } finally {
        await thread?.stop(new DatabaseError("the database is closed"));
        this.#folder?.release();
      }
    });
    return this.#closed;
  }

  /** Queues a call. Calls that are queued when the database is closed still run. */
  #take<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#closed) return Promise.reject(new DatabaseError("the database is closed"));
    const result = this.#mutex.run(work);
    if (this.#upkeep.isDue()) {
      // Runs after the queued calls and before later ones.
      const step = this.#mutex.run(() => this.#upkeep.step(sqlOf((ask) => this.#ask(ask))));
      inBackground(step, reportFailure);
    }
    return result;
  }

  async #ask<Result>(work: (thread: PgliteThread) => Promise<Result>): Promise<Result> {
    return work(await this.#started());
  }

  /**
   * Measures waiting from now on. The database has no more work done than the process has CPU time, and the rest is waiting,
   * for a slow disk or a busy machine.
   */
  #waiting(): () => number {
    const [began, before] = [this.#world.now(), cpuUsage()];
    return () => {
      const { user, system } = cpuUsage(before);
      return Math.max(0, this.#world.now() - began - (user + system) / 1000);
    };
  }

  /** The thread, or a new one if the last one has ended. */
  async #started(): Promise<PgliteThread> {
    if (this.#thread?.isOver && !this.#folder) this.#isLost = true;
    if (this.#isLost) {
      throw new DatabaseError("the in-memory database was lost when its thread ended");
    }
    if (!this.#thread || this.#thread.isOver) await this.#start();
    return present(this.#thread, "a thread that was started is there");
  }

  /** Starts a thread. @throws DatabaseError that reports a full disk, which PGlite does not */
  async #start(how: Pick<PgliteStart, "image"> = {}): Promise<void> {
    const { logBytes } = this.#limits;
    const start = { ...how, logBytes, ...(this.#folder && { folder: this.#folder.data }) };
    const thread = new PgliteThread(start, ({ channel, payload }) => {
      for (const hear of this.#listeners.get(channel) ?? []) guarded(hear, reportFailure)(payload);
    });
    this.#thread = thread;
    await thread.opened().catch((error) => {
      throw error instanceof DatabaseError ? (this.#folder?.explain(error) ?? error) : error;
    });
    for (const channel of this.#listeners.keys()) await thread.ask("listen", channel);
  }

  /**
   * A statement in WebAssembly ignores timeouts, so this ends the thread. The next statement opens the folder again.
   */
  async #inTime<Result>(
    thread: PgliteThread,
    work: (thread: PgliteThread) => Promise<Result>,
    timeout: number | undefined,
  ): Promise<Result> {
    if (timeout === undefined) return work(thread);
    const late = this.#world.timeout(timeout);
    const stop = (): void => {
      this.#isLost = this.#folder === undefined;
      const why = `the statement took longer than ${timeout} ms and was stopped`;
      inBackground(thread.stop(new DatabaseError(why, { code: "57014" })), reportFailure);
    };
    late.addEventListener("abort", stop);
    try {
      return await work(thread);
    } finally {
      late.removeEventListener("abort", stop);
    }
  }
}

function sqlOf(ask: <Result>(work: (thread: PgliteThread) => Promise<Result>) => Promise<Result>): Sql {
  return {
    query: (statement, parameters = []) => ask((thread) => thread.query(statement, parameters)),
    run: (script) => ask((thread) => thread.ask("run", script)),
  };
}
