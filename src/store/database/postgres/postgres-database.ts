import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import pg from "pg";
import { invariant } from "../../../base/invariant.js";
import { isRecord } from "../../../base/text/json-value.js";
import type { World } from "../../../base/world.js";
import {
  type Connections,
  type Database,
  DatabaseError,
  type LockWait,
  type Row,
  SQL,
  type Sql,
  type SqlText,
  type StatementOptions,
  type TransactionOptions,
} from "../database.js";
import { beginning, runTransaction } from "../run-transaction.js";
import { BackendWatch } from "./backend-watch.js";
import { checkServer } from "./check-server.js";
import { copyInto } from "./copy-query.js";
import { EndingStatements } from "./ending-statements.js";
import { GatheringClient } from "./gathering-client.js";
import { Listener } from "./listener.js";
import { databaseErrorOf, lacksTls, wantsOtherWay } from "./postgres-errors.js";
import { type PostgresSsl, readPostgresTls } from "./postgres-tls.js";

/** The parts of the world that the database needs. */
export type PostgresWorld = Pick<World, "sleep" | "now" | "timeout">;

/** Options for using a server, all with defaults. */
export interface PostgresOptions {
  /** The maximum number of concurrent statements, 10 by default. */
  readonly connections?: number;
  /** Creates the sockets of its connections; by default, the client does. */
  readonly stream?: (() => Duplex) | undefined;
  /** Whether the database is the user's own, which may have any encoding, order and version. */
  readonly isForeign?: boolean;
  /** Whether names in statements mean only those of PostgreSQL. Others may have made functions in the database. */
  readonly isWary?: boolean;
}

const connectTimeout = 10_000;
/**
 * Settings that values and statements depend on, whatever the server's defaults. A statement that follows a lock has to
 * see what others committed before it was taken. JIT is off, because it takes longer than our statements. If this process hangs or the network fails, the server ends its work within half a minute, so
 * that others need not wait for its locks.
 */
const settings = `set timezone = 'UTC'; set datestyle = 'ISO, YMD'; set bytea_output = 'hex';
  set standard_conforming_strings = on; set search_path = public; set jit = off;
  set default_transaction_isolation = 'read committed';
  set idle_in_transaction_session_timeout = 20000;
  set tcp_keepalives_idle = 10; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 2; set tcp_user_timeout = 20000`;

/**
 * Opens a database on a PostgreSQL server.
 * @param address `postgres://user:password@host:port/database`; see `readPostgresTls` for encryption
 * @throws DatabaseError if it cannot be reached or is unsuitable
 */
export async function openPostgres(
  address: string,
  world: PostgresWorld,
  { connections = 10, stream, isForeign = false, isWary = false }: PostgresOptions = {},
): Promise<Database> {
  const { address: plain, ways } = readPostgresTls(address);
  const open = async (ssl: PostgresSsl | undefined): Promise<Database> => {
    const database = new PostgresDatabase(plain, world, { connections, stream, isWary, ssl });
    try {
      if (isForeign) await database.query(SQL`select 1`);
      else await checkServer(database);
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  };
  const [first, second] = ways;
  if (second === undefined) return open(first);
  try {
    return await open(first);
  } catch (error) {
    if (!wantsOtherWay(error)) throw error;
    return open(second).catch((other: unknown) => {
      // A server without TLS has answered the first time already.
      throw lacksTls(other) ? error : other;
    });
  }
}

/** A pool of connections. */
class PostgresDatabase implements Database {
  readonly provider = "postgres";
  readonly #config: pg.ClientConfig;
  readonly #pool: pg.Pool;
  readonly #world: PostgresWorld;
  readonly #watch: BackendWatch;
  #listener: Listener | undefined;
  #closed: Promise<void> | undefined;

  constructor(
    address: string,
    world: PostgresWorld,
    {
      connections,
      stream,
      isWary,
      ssl,
    }: Required<Pick<PostgresOptions, "connections" | "stream" | "isWary">> & {
      readonly ssl: PostgresSsl | undefined;
    },
  ) {
    this.#world = world;
    this.#config = {
      connectionString: address,
      connectionTimeoutMillis: connectTimeout,
      keepAlive: true,
      fallback_application_name: "graphloom",
      ...(stream && { stream }),
      ...(ssl !== undefined && { ssl }),
      // Values travel as text, whatever their type.
      types: { getTypeParser: () => (value: unknown) => value },
    };
    this.#watch = new BackendWatch(this.#config, world);
    this.#pool = new pg.Pool({
      ...this.#config,
      max: connections,
      // Statements that do not wait for the previous answer are sent at once. Only transactions start like this.
      pipeline: true,
      Client: GatheringClient,
      onConnect: isWary ? prepareWarily : prepare,
      allowExitOnIdle: true,
    });
    // An idle connection that is lost is replaced when the next one is needed.
    this.#pool.on("error", () => undefined);
  }

  query(
    statement: string,
    parameters: readonly SqlText[] = [],
    options: StatementOptions = {},
  ): Promise<readonly Row[]> {
    return this.#with((client) =>
      client.gather(() => {
        limitTime(client, undefined);
        return queryOn(client, statement, parameters, options);
      }),
    );
  }

  run(script: string): Promise<void> {
    return this.#with((client) =>
      client.gather(() => {
        limitTime(client, undefined);
        return runOn(client, script);
      }),
    );
  }

  transaction<Result>(
    work: (sql: Sql) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    if (options.isSingle) return this.#single(work, options);
    const { snapshot, statementTimeout, isMeasured, signal } = options;
    return this.#with(async (client, ending) => {
      const timeout =
        statementTimeout === undefined ? "" : `; set local statement_timeout = ${statementTimeout}`;
      // It is sent with the first statement and answered before it.
      const begin = (): Promise<void> => runOn(client, `${beginning(options)}${timeout}`);
      const begun = client.gather(() => {
        if (statementTimeout === undefined) limitTime(client, undefined);
        return begin();
      });
      begun.catch(() => undefined);
      const watched = isMeasured ? this.#watch.watch(client.backend) : undefined;
      // A statement may run although the beginning failed, so it is waited for in any case.
      const behind = async <Answer>(answer: Promise<Answer>): Promise<Answer> => {
        await Promise.allSettled([answer, begun]);
        await begun;
        return answer;
      };
      const sql: Sql = {
        query: (statement, parameters = [], known = {}) =>
          ending.run(() => behind(queryOn(client, statement, parameters, known))),
        run: (script) => ending.run(() => behind(runOn(client, script))),
        copy: (statement, content) => ending.run(() => behind(copyOn(client, statement, content))),
        ...(watched && { waited: () => watched.waited() }),
      };
      const result = runTransaction(
        {
          sql,
          signal,
          commit: async () => {
            await ending.settled();
            return snapshot ? endReading(client, this.#world) : behind(runOn(client, "commit"));
          },
          rollBack: async () => {
            await ending.settled();
            return rollBack(client);
          },
        },
        work,
      );
      return watched ? result.finally(() => watched.end()) : result;
    }, signal);
  }

  /** Runs work that is one statement. @throws DatabaseError for a second one */
  #single<Result>(
    work: (sql: Sql) => Promise<Result>,
    { statementTimeout, signal }: TransactionOptions,
  ): Promise<Result> {
    return this.#with((client, ending) => {
      let isOver = false;
      const once = <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
        if (isOver) return Promise.reject(new DatabaseError("the single statement was sent before"));
        isOver = true;
        return ending.run(() =>
          client.gather(() => {
            limitTime(client, statementTimeout);
            return ask();
          }),
        );
      };
      return work({
        query: (statement, parameters = [], known = {}) =>
          once(() => queryOn(client, statement, parameters, known)),
        run: (script) => once(() => runOn(client, script)),
      });
    }, signal);
  }

  async listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>> {
    if (this.#closed) throw new DatabaseError("the database is closed");
    this.#listener ??= new Listener(this.#config, this.#world);
    return this.#listener.listen(channel, hear);
  }

  connections(): Connections {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return {
      used: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount,
      most: options.max,
    };
  }

  lockWaits(): Promise<readonly LockWait[]> {
    return this.#watch.lockWaits();
  }

  close(): Promise<void> {
    this.#closed ??= (async () => {
      await this.#watch.close();
      await this.#listener?.close();
      await this.#pool.end();
    })();
    return this.#closed;
  }

  /** @param signal what the work runs with `ending` ends when it is aborted */
  async #with<Result>(
    work: (client: GatheringClient, ending: EndingStatements) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#closed) throw new DatabaseError("the database is closed");
    let pooled: pg.PoolClient;
    try {
      pooled = await this.#pool.connect();
    } catch (error) {
      throw databaseErrorOf(error);
    }
    let isLost = false;
    const lose = (): void => {
      isLost = true;
    };
    // A lost connection also emits an error, besides failing its statement.
    pooled.on("error", lose);
    try {
      invariant(pooled instanceof GatheringClient, "the pool's connections are of the class it was given");
      signal?.throwIfAborted();
      const { backend } = pooled;
      const ending = new EndingStatements(signal, () => this.#watch.cancel(backend), this.#world);
      try {
        return await work(pooled, ending);
      } finally {
        await ending.end();
      }
    } catch (error) {
      // The server's last message may arrive before the end of the connection.
      if (error instanceof DatabaseError && isLast(error)) lose();
      throw error;
    } finally {
      pooled.off("error", lose);
      pooled.release(isLost);
    }
  }
}

/** Whether nothing can follow this answer, because the server ends the connection or it was lost. */
function isLast({ code }: DatabaseError): boolean {
  return code === undefined || /^(?:57P|08)/.test(code);
}

/**
 * Sets the time limit of the statements that follow on a connection, unless it is set already.
 * @param milliseconds without them, the server's limit applies
 */
function limitTime(client: GatheringClient, milliseconds: number | undefined): void {
  if (client.timeLimit === milliseconds) return;
  client.timeLimit = milliseconds;
  const script =
    milliseconds === undefined ? "reset statement_timeout" : `set statement_timeout = ${milliseconds}`;
  // It fails only if the connection does. Then the next statement fails as well.
  runOn(client, script).catch(() => undefined);
}

async function prepare(client: pg.ClientBase): Promise<void> {
  // With a pooler in between, the client would see the pooler's process number.
  const results: unknown = await client.query(`${settings}; select pg_backend_pid() as pid`);
  const last: unknown = Array.isArray(results) ? results.at(-1) : undefined;
  const rows = isRecord(last) && Array.isArray(last.rows) ? last.rows : [];
  if (client instanceof GatheringClient) client.backend = Number(rows[0]?.pid);
}

async function prepareWarily(client: pg.ClientBase): Promise<void> {
  await client.query(`${settings}; set search_path = pg_catalog`);
}

async function queryOn(
  client: pg.ClientBase,
  statement: string,
  parameters: readonly SqlText[],
  { isFixed = false }: StatementOptions,
): Promise<readonly Row[]> {
  try {
    const { rows } = await client.query<Record<string, SqlText>>({
      text: statement,
      values: [...parameters],
      ...(isFixed && { name: statementName(statement) }),
    });
    return rows;
  } catch (error) {
    throw databaseErrorOf(error);
  }
}

const names = new Map<string, string>();

/** The name of a prepared statement, no longer than PostgreSQL allows. */
function statementName(statement: string): string {
  const name = names.get(statement) ?? createHash("sha256").update(statement).digest("hex").slice(0, 32);
  names.set(statement, name);
  return name;
}

/** An error of the content takes precedence over the server's message about it. */
async function copyOn(
  client: pg.ClientBase,
  statement: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  const failures: unknown[] = [];
  const noted = async function* (): AsyncGenerator<Uint8Array, void, void> {
    try {
      yield* content;
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  try {
    await copyInto(client, statement, noted());
  } catch (error) {
    throw failures.length > 0 ? failures[0] : databaseErrorOf(error);
  }
}

async function runOn(client: pg.ClientBase, script: string): Promise<void> {
  try {
    await client.query(script);
  } catch (error) {
    throw databaseErrorOf(error);
  }
}

/**
 * Nothing was written, so no caller needs to wait: the end precedes later statements on the connection. It
 * fails only if the connection does, which the pool notices too.
 */
async function endReading(client: GatheringClient, { sleep }: PostgresWorld): Promise<void> {
  client.hold(() => client.query("commit"), sleep(0)).catch(() => undefined);
}

/** The server rolls back when a connection is lost. */
async function rollBack(client: pg.ClientBase): Promise<void> {
  try {
    await client.query("rollback");
  } catch {
    client.emit("error", new Error("the transaction could not be rolled back"));
  }
}
