import { reportFailure } from "../../../base/failures.js";
import { guarded } from "../../../base/turns/guarded.js";
import type { Port } from "../../../base/turns/port.js";
import { PortCaller } from "../../../base/turns/port-calls.js";
import {
  type Database,
  DatabaseError,
  type Row,
  SQL,
  type Sql,
  type SqlFragment,
  type SqlText,
  type TransactionOptions,
} from "../database.js";
import { runTransaction } from "../run-transaction.js";
import type { DatabaseCalls, DatabaseMessage, PortFailure } from "./messages.js";

/**
 * A database that another thread serves over a port (`serveDatabase`). Closing it closes the port, not the database.
 * @param provider the provider of the served database
 */
export function openOverPort(port: Port, provider: Database["provider"]): Database {
  return new PortDatabase(port, provider);
}

class PortDatabase implements Database {
  readonly provider: Database["provider"];
  readonly #port: Port;
  readonly #calls: PortCaller<DatabaseCalls, PortFailure>;
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  #lastTransaction = 0;
  #isClosed = false;

  constructor(port: Port, provider: Database["provider"]) {
    this.#port = port;
    this.provider = provider;
    this.#calls = new PortCaller(
      (call) => port.postMessage(call),
      (failure) => new DatabaseError(failure.message, failure),
    );
    const take = (message: DatabaseMessage): void => {
      if ("channel" in message) {
        for (const hear of this.#listeners.get(message.channel) ?? [])
          guarded(hear, reportFailure)(message.payload);
      } else this.#calls.settle(message);
    };
    port.on("message", guarded(take, reportFailure));
    port.on(
      "close",
      guarded(() => this.#end(), reportFailure),
    );
  }

  query(statement: SqlFragment, parameters: readonly SqlText[] = []): Promise<readonly Row[]> {
    return this.#calls.call("query", statement, parameters);
  }

  run(script: SqlFragment): Promise<void> {
    return this.#calls.call("run", script);
  }

  async transaction<Result>(
    work: (sql: Sql) => Promise<Result>,
    { signal, ...options }: TransactionOptions = {},
  ): Promise<Result> {
    signal?.throwIfAborted();
    const transaction = ++this.#lastTransaction;
    await this.#calls.call("begin", transaction, options);
    const sql: Sql = {
      query: (statement, parameters = []) => this.#calls.call("query", statement, parameters, transaction),
      run: (script) => this.#calls.call("run", script, transaction),
    };
    const rollBack = async (): Promise<void> => {
      // A closed port means that the other end closed it.
      if (!this.#isClosed) await this.#calls.call("rollback", transaction);
    };
    const commit = (): Promise<void> => this.#calls.call("commit", transaction);
    return runTransaction({ sql, after: this, signal, commit, rollBack }, work);
  }

  async listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>> {
    const known = this.#listeners.get(channel);
    const all = known ?? new Set();
    all.add(hear);
    this.#listeners.set(channel, all);
    if (!known) await this.#calls.call("listen", channel);
    return async () => {
      all.delete(hear);
      if (all.size > 0 || this.#listeners.get(channel) !== all) return;
      this.#listeners.delete(channel);
      await this.#calls.call("unlisten", channel);
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    // Earlier calls are answered first.
    await Promise.allSettled([this.query(SQL`select 1`)]);
    this.#end();
    this.#port.close();
  }

  #end(): void {
    this.#isClosed = true;
    this.#calls.end(new DatabaseError("the database is closed"));
  }
}
