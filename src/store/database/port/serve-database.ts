import { reportFailure } from "../../../base/failures.js";
import { messageOf } from "../../../base/text/message-of.js";
import { guarded } from "../../../base/turns/guarded.js";
import type { Port } from "../../../base/turns/port.js";
import { answerCalls } from "../../../base/turns/port-calls.js";
import { type Database, DatabaseError, type Sql, type TransactionOptions } from "../database.js";
import type { InTurn } from "./database-turns.js";
import type { DatabaseCalls, DatabaseMessage, PortFailure, PortNotice } from "./messages.js";

/**
 * Serves a database to the other end of a port (`openOverPort`). If that end is closed, or its thread ends midway, open
 * transactions are rolled back.
 * @param inTurn runs each statement and each transaction of that end (`DatabaseTurns`); by default, at once
 */
export function serveDatabase(database: Database, port: Port, inTurn?: InTurn): void {
  const behind = inTurn ? takingTurns(database, inTurn) : database;
  const post = (message: DatabaseMessage): void => port.postMessage(message);
  const served = new ServedDatabase(behind, post);
  port.on("message", answerCalls(served.calls, post, encodeFailure));
  port.on(
    "close",
    guarded(() => served.end(), reportFailure),
  );
}

/** The same database, used only in turn. */
function takingTurns(database: Database, inTurn: InTurn): Database {
  return {
    provider: database.provider,
    query: (statement, parameters) => inTurn(() => database.query(statement, parameters)),
    run: (script) => inTurn(() => database.run(script)),
    transaction: (work, options) => inTurn(() => database.transaction(work, options)),
    listen: (channel, hear) => database.listen(channel, hear),
    close: () => database.close(),
  };
}

/** An open transaction that waits for statements. */
interface OpenTransaction {
  readonly sql: Sql;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

class ServedDatabase {
  readonly #database: Database;
  readonly #tell: (notice: PortNotice) => void;
  readonly #transactions = new Map<number, Promise<OpenTransaction>>();
  readonly #listening = new Map<string, () => Promise<void>>();
  #isOver = false;

  constructor(database: Database, tell: (notice: PortNotice) => void) {
    this.#database = database;
    this.#tell = tell;
  }

  readonly calls: DatabaseCalls = {
    query: async (statement, parameters, transaction) =>
      (await this.#sqlOf(transaction)).query(statement, parameters),
    run: async (script, transaction) => (await this.#sqlOf(transaction)).run(script),
    begin: (transaction, options) => this.#begin(transaction, options),
    commit: async (transaction) => (await this.#take(transaction))?.commit(),
    rollback: async (transaction) => (await this.#take(transaction))?.rollBack(),
    listen: (channel) => this.#listen(channel),
    unlisten: async (channel) => {
      await this.#listening.get(channel)?.();
      this.#listening.delete(channel);
    },
  };

  /** Rolls back open transactions and stops listening. The client is gone, so no one gets the outcome. */
  async end(): Promise<void> {
    this.#isOver = true;
    const open = [...this.#transactions.values()];
    this.#transactions.clear();
    const rolledBack = open.map(async (transaction) => (await transaction).rollBack());
    await Promise.allSettled([...rolledBack, ...[...this.#listening.values()].map((stop) => stop())]);
  }

  async #begin(number: number, options: TransactionOptions): Promise<void> {
    const beginning = begin(this.#database, options);
    this.#transactions.set(number, beginning);
    try {
      const transaction = await beginning;
      if (this.#isOver) await transaction.rollBack();
    } catch (error) {
      this.#transactions.delete(number);
      throw error;
    }
  }

  async #sqlOf(transaction: number | undefined): Promise<Sql> {
    if (transaction === undefined) return this.#database;
    const open = await this.#transactions.get(transaction);
    if (!open) throw new DatabaseError("the transaction has ended");
    return open.sql;
  }

  async #take(transaction: number): Promise<OpenTransaction | undefined> {
    const open = this.#transactions.get(transaction);
    this.#transactions.delete(transaction);
    return open;
  }

  async #listen(channel: string): Promise<void> {
    if (this.#listening.has(channel)) return;
    const stop = await this.#database.listen(channel, (payload) => this.#tell({ channel, payload }));
    this.#listening.set(channel, stop);
  }
}

/** Rolls a transaction back. */
class RolledBack extends Error {}

/** Starts a transaction whose statements arrive one by one. */
function begin(database: Database, options: TransactionOptions): Promise<OpenTransaction> {
  return new Promise((resolve, reject) => {
    const work = (sql: Sql): Promise<void> =>
      new Promise((succeed, fail) => {
        resolve({
          sql,
          commit: () => {
            succeed();
            return ended;
          },
          rollBack: async () => {
            fail(new RolledBack());
            await ended.catch((error: unknown) => {
              if (!(error instanceof RolledBack)) throw error;
            });
          },
        });
      });
    const ended = database.transaction(work, options);
    ended.catch(reject);
  });
}

function encodeFailure(error: unknown): PortFailure {
  if (!(error instanceof DatabaseError)) return { message: messageOf(error) };
  const { message, code, hint } = error;
  return { message, ...(code !== undefined && { code }), ...(hint !== undefined && { hint }) };
}
