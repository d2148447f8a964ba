import { Worker } from "node:worker_threads";
import { present } from "../../../base/invariant.js";
import { visible } from "../../../base/visible.js";
import { DatabaseError, type Row, type SqlText } from "../database.js";
import { hints } from "../hints.js";
import {
  type PgliteFailure,
  type PgliteImage,
  type PgliteNotice,
  type PgliteReply,
  type PgliteRequest,
  type PgliteStart,
  type PgliteTask,
  startId,
} from "./messages.js";

interface Waiting {
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: DatabaseError) => void;
}

/** PGlite in a thread of its own. Idle, it does not keep Node running. */
export class PgliteThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #opened: Promise<unknown>;
  #image: Uint8Array | undefined;
  #nextId = startId;
  #isOver = false;

  /** @param hear is told of what is sent to channels */
  constructor(start: PgliteStart, hear: (notice: PgliteNotice) => void) {
    this.#worker = new Worker(new URL("./pglite-worker.js", import.meta.url), {
      workerData: start,
      // Flags of the parent, such as loaders or the inspector, are not meant for the thread.
      execArgv: [],
      // Kept from the terminal and never read: reading them would keep Node running.
      stdout: true,
      stderr: true,
    });
    this.#worker.on("message", (message: PgliteReply | PgliteNotice | PgliteImage) => {
      if ("channel" in message) hear(message);
      else if ("image" in message) this.#image = message.image;
      else this.#settle(message);
    });
    this.#worker.on("error", (error) => this.#end(`the thread of the database failed: ${error.message}`));
    this.#worker.on("exit", (code) => this.#end(`the thread of the database ended with ${code}`));
    // The first answer is to being started.
    this.#opened = this.#wait();
    this.#opened.catch(() => undefined);
  }

  /** Whether nothing can be asked any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Fulfilled once the folder is open. @throws DatabaseError */
  async opened(): Promise<void> {
    await this.#opened;
  }

  /** All that the database is made of, for others to begin with. @throws DatabaseError */
  async image(): Promise<Uint8Array> {
    await this.ask({ kind: "image" });
    const image = present(this.#image, "the thread tells of the image first");
    this.#image = undefined;
    return image;
  }

  /** @throws DatabaseError, also when the thread ends before it has answered */
  async ask(task: PgliteTask): Promise<readonly Row[]> {
    await this.#opened;
    if (this.#isOver) throw new DatabaseError("the thread of the database has ended");
    const request: PgliteRequest = { ...task, id: this.#nextId };
    const answer = this.#wait();
    this.#worker.postMessage(request);
    return answer;
  }

  /** Ends the thread, whatever it is doing. @param why what those are told who wait */
  async stop(why: DatabaseError): Promise<void> {
    this.#isOver = true;
    this.#rejectAll(why);
    await this.#worker.terminate();
  }

  #wait(): Promise<readonly Row[]> {
    const id = this.#nextId++;
    if (this.#waiting.size === 0) this.#worker.ref();
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
  }

  #settle(reply: PgliteReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (this.#waiting.size === 0) this.#worker.unref();
    if ("error" in reply) {
      const error = databaseErrorOf(reply.error);
      waiting?.reject(error);
      if (reply.error.isOver) void this.stop(error);
    } else waiting?.resolve(reply.rows.map((values) => rowOf(reply.columns, values)));
  }

  #end(why: string): void {
    this.#isOver = true;
    this.#rejectAll(new DatabaseError(why));
  }

  #rejectAll(why: DatabaseError): void {
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
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
