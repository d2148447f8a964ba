import { Worker } from "node:worker_threads";
import { PortCaller } from "../../../base/port-calls.js";
import { visible } from "../../../base/visible.js";
import { DatabaseError, type Row, type SqlText } from "../database.js";
import { hints } from "../hints.js";
import type {
  PgliteCalls,
  PgliteFailure,
  PgliteMessage,
  PgliteNotice,
  PgliteRows,
  PgliteStart,
} from "./messages.js";

/** PGlite in a separate thread. An idle thread does not keep Node running. */
export class PgliteThread {
  readonly #worker: Worker;
  readonly #calls: PortCaller<PgliteCalls, PgliteFailure>;
  readonly #opened: Promise<void>;
  #isOver = false;

  /** @param hear receives the notifications on channels */
  constructor(start: PgliteStart, hear: (notice: PgliteNotice) => void) {
    this.#worker = new Worker(new URL("./pglite-worker.js", import.meta.url), {
      workerData: start,
      // Do not pass on the parent's flags, such as loaders or the inspector.
      execArgv: [],
      // Kept from the terminal and never read: reading them would keep Node running.
      stdout: true,
      stderr: true,
    });
    this.#calls = new PortCaller(
      (call) => this.#worker.postMessage(call),
      (failure) => {
        const error = databaseErrorOf(failure);
        if (failure.isOver) void this.stop(error);
        return error;
      },
    );
    this.#worker.on("message", (message: PgliteMessage) => {
      if ("channel" in message) return hear(message);
      this.#calls.settle(message);
      if (this.#calls.isIdle) this.#worker.unref();
    });
    this.#worker.on("error", (error) => this.#end(`the database thread failed: ${error.message}`));
    this.#worker.on("exit", (code) => this.#end(`the database thread exited with code ${code}`));
    this.#opened = this.#calls.call("open");
    this.#opened.catch(() => undefined);
  }

  /** Whether the thread can no longer answer calls. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Fulfilled once the folder is open. @throws DatabaseError */
  opened(): Promise<void> {
    return this.#opened;
  }

  /** @throws DatabaseError, also when the thread ends before it has answered */
  async query(statement: string, parameters: readonly SqlText[]): Promise<readonly Row[]> {
    const { columns, rows }: PgliteRows = await this.ask("query", statement, parameters);
    return rows.map((values) => rowOf(columns, values));
  }

  /** Sends the thread another call. @throws DatabaseError, also when the thread ends before it has answered */
  async ask<Name extends keyof PgliteCalls>(
    name: Name,
    ...args: Parameters<PgliteCalls[Name]>
  ): Promise<Awaited<ReturnType<PgliteCalls[Name]>>> {
    await this.#opened;
    if (this.#isOver) throw new DatabaseError("the database thread has ended");
    if (this.#calls.isIdle) this.#worker.ref();
    return await this.#calls.call(name, ...args);
  }

  /** Ends the thread, whatever it is doing. @param why the error for those who wait */
  async stop(why: DatabaseError): Promise<void> {
    this.#isOver = true;
    this.#calls.end(why);
    await this.#worker.terminate();
  }

  #end(why: string): void {
    this.#isOver = true;
    this.#calls.end(new DatabaseError(why));
  }
}

function databaseErrorOf({ message, code, hint: told }: PgliteFailure): DatabaseError {
  const hint = hints.get(code ?? "") ?? told;
  return new DatabaseError(visible(message), {
    ...(code !== undefined && { code }),
    ...(hint !== undefined && { hint }),
  });
}

function rowOf(columns: readonly string[], values: readonly SqlText[]): Row {
  const row: Record<string, SqlText> = {};
  for (const [index, column] of columns.entries()) row[column] = values[index] ?? null;
  return row;
}
