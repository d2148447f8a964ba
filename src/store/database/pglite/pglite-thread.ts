import { Worker } from "node:worker_threads";
import { reportFailure } from "../../../base/failures.js";
import { messageOf } from "../../../base/text/message-of.js";
import { visible } from "../../../base/text/visible.js";
import { guarded, inBackground } from "../../../base/turns/guarded.js";
import { PortCaller } from "../../../base/turns/port-calls.js";
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
        if (failure.isOver) inBackground(this.stop(error), reportFailure);
        return error;
      },
    );
    const take = (message: PgliteMessage): void => {
      if ("channel" in message) hear(message);
      else this.#calls.settle(message);
      if (this.#calls.isIdle) this.#worker.unref();
    };
    this.#worker.on(
      "message",
      guarded(take, (error) => this.#end(messageOf(error))),
    );
    const ended = guarded((why: string) => this.#end(why), reportFailure);
    this.#worker.on("error", (error) => ended(`the database thread failed: ${messageOf(error)}`));
    this.#worker.on("exit", (code) => ended(`the database thread exited with code ${code}`));
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

  /** Ends the thread, whatever it is doing. @param why the error for waiting callers */
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
