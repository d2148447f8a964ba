import { Readable } from "node:stream";
import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/text/repeat.js";
import { guarded, inBackground } from "../../base/turns/guarded.js";
import type { World } from "../../base/world.js";
import { framesOf } from "../../dumps/dump-parts.js";

/** Bytes that may wait for a client before the dump waits, too. */
const mostWaiting = 2 * 1024 * 1024;
/** Milliseconds without a byte after which the client learns that the server is at work. */
const tickAfter = 10_000;

/** The body of an answer with a dump. A client that stops reading loses it. */
export class DumpAnswer {
  readonly body: Readable;
  readonly #gone = new AbortController();
  readonly #world: Pick<World, "timeout">;
  readonly #idle: number;
  readonly #waiting: Uint8Array[] = [];
  #bytes = 0;
  #isWhole = false;
  #hasMoved = false;
  /** Wait until something is added or taken. */
  #sleepers: (() => void)[] = [];

  /** @param idle milliseconds that the client may take to read some of what waits for it */
  constructor(world: Pick<World, "timeout">, idle: number) {
    this.#world = world;
    this.#idle = idle;
    this.body = Readable.from(this.#frames(), { objectMode: false });
    // The client learns from the cut.
    const leave = guarded(() => this.#leave(), reportFailure);
    this.body.on("error", leave);
    this.body.once("close", leave);
    const ticks = repeat(tickAfter, world, this.#gone.signal, () => {
      if (!this.#hasMoved) for (const frame of framesOf({ kind: "tick" })) this.push(frame);
      this.#hasMoved = false;
    });
    inBackground(ticks, reportFailure);
  }

  /** Aborted when the body was read, or the client has left. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /** Adds a frame. */
  push(frame: Uint8Array): void {
    if (this.#gone.signal.aborted || this.#isWhole) return;
    this.#hasMoved = true;
    this.#waiting.push(frame);
    this.#bytes += frame.length;
    this.#moved();
  }

  /** Waits until the client has read so much that more can wait for it. @throws if it has left, or reads nothing */
  room(): Promise<void> {
    return this.#until(mostWaiting);
  }

  /** Waits until the client has read all. @throws if it has left, or reads nothing */
  drained(): Promise<void> {
    return this.#until(0);
  }

  /** The answer is whole. */
  end(): void {
    this.#isWhole = true;
    this.#moved();
  }

  /** Ends it before it is whole. @param why for a client that has no byte yet */
  cut(why: Error): void {
    this.body.destroy(why);
    this.#leave();
  }

  async *#frames(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#waiting.shift();
      if (next) {
        yield next;
        this.#bytes -= next.length;
        this.#moved();
      } else if (this.#isWhole || this.#gone.signal.aborted) return;
      else await this.#move();
    }
  }

  async #until(most: number): Promise<void> {
    while (this.#bytes > most && !this.#gone.signal.aborted) {
      const before = this.#bytes;
      const patience = this.#world.timeout(this.#idle);
      const late = new Promise<void>((resolve) => {
        patience.addEventListener("abort", () => resolve(), { once: true });
      });
      await Promise.race([this.#move(), late]);
      if (patience.aborted && this.#bytes >= before) this.cut(new Error("the client reads nothing"));
    }
    this.#gone.signal.throwIfAborted();
  }

  #move(): Promise<void> {
    return new Promise((resolve) => {
      this.#sleepers.push(resolve);
    });
  }

  #moved(): void {
    for (const wake of this.#sleepers.splice(0)) wake();
  }

  #leave(): void {
    this.#gone.abort();
    this.#moved();
  }
}
