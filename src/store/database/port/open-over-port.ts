import type { MessagePort } from "node:worker_threads";
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
import type { PortNotice, PortReply, PortRequest, PortTask } from "./messages.js";

/**
 * A database that another thread serves over a port (`serveDatabase`). Closing it closes the port, not the database.
 * @param provider which one it is
 */
export function openOverPort(port: MessagePort, provider: Database["provider"]): Database {
  return new PortDatabase(port, provider);
}

interface Waiting {
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: DatabaseError) => void;
}

class PortDatabase implements Database {
  readonly provider: Database["provider"];
  readonly #port: MessagePort;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<(payload: string) => void>>();
  #lastId = 0;
  #isClosed = false;

  constructor(port: MessagePort, provider: Database["provider"]) {
    this.#port = port;
    this.provider = provider;
    port.on("message", (message: PortReply | PortNotice) => {
      if ("channel" in message) {
        for (const hear of this.#listeners.get(message.channel) ?? []) hear(message.payload);
      } else this.#settle(message);
    });
    port.on("close", () => this.#end());
  }

  query(statement: SqlFragment, parameters: readonly SqlText[] = []): Promise<readonly Row[]> {
    return this.#ask({ kind: "query", statement, parameters });
  }

  async run(script: SqlFragment): Promise<void> {
    await this.#ask({ kind: "run", script });
  }

  async transaction<Result>(
    work: (sql: Sql) => Promise<Result>,
    options: TransactionOptions = {},
  ): Promise<Result> {
    const transaction = this.#lastId + 1;
    await this.#ask({ kind: "begin", transaction, options });
    const sql: Sql = {
      query: (statement, parameters = []) => this.#ask({ kind: "query", transaction, statement, parameters }),
      run: async (script) => {
        await this.#ask({ kind: "run", transaction, script });
      },
    };
    const end = async (kind: "commit" | "rollback"): Promise<void> => {
      await this.#ask({ kind, transaction });
    };
    const rollBack = async (): Promise<void> => {
      // Where the port is closed, the other end has done it.
      if (!this.#isClosed) await end("rollback");
    };
    return runTransaction({ sql, commit: () => end("commit"), rollBack }, work);
  }

  async listen(channel: string, hear: (payload: string) => void): Promise<() => Promise<void>> {
    const known = this.#listeners.get(channel);
    const all = known ?? new Set();
    all.add(hear);
    this.#listeners.set(channel, all);
    if (!known) await this.#ask({ kind: "listen", channel });
    return async () => {
      all.delete(hear);
      if (all.size > 0 || this.#listeners.get(channel) !== all) return;
      this.#listeners.delete(channel);
      await this.#ask({ kind: "unlisten", channel });
    };
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    // What was asked for before is answered before.
    await Promise.allSettled([this.#ask({ kind: "query", statement: SQL`select 1`, parameters: [] })]);
    this.#end();
    this.#port.close();
  }

  #ask(task: PortTask): Promise<readonly Row[]> {
    if (this.#isClosed) return Promise.reject(new DatabaseError("the database is closed"));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#port.postMessage({ ...task, id } satisfies PortRequest);
    });
  }

  #settle(reply: PortReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if ("rows" in reply) waiting?.resolve(reply.rows);
    else waiting?.reject(new DatabaseError(reply.error.message, reply.error));
  }

  #end(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new DatabaseError("the database is closed"));
    this.#waiting.clear();
  }
}
