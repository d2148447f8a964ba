import { Readable } from "node:stream";
import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/text/repeat.js";
import { inBackground } from "../../base/turns/guarded.js";
import type { World } from "../../base/world.js";

/** Bytes that may wait for a client. */
const mostWaiting = 1_000_000;
/** Milliseconds between two comments, which keep proxies from closing the connection. */
const keepAlive = 15_000;

/**
 * A response with server-sent events. A client that reads too slowly misses events; the server does not wait for it.
 */
export class EventStream {
  /** The answer's body. */
  readonly body = new Readable({ read: () => undefined });
  readonly #gone = new AbortController();
  #isOver = false;

  /** @param silence milliseconds after which it sends a comment */
  constructor(world: Pick<World, "timeout">, silence = keepAlive) {
    this.body.on("error", () => this.#gone.abort());
    this.body.once("close", () => this.#gone.abort());
    const comments = repeat(silence, world, this.#gone.signal, () => {
      this.#push(":\n\n");
    });
    inBackground(comments, reportFailure);
  }

  /** Aborted when the client has left, or the answer is complete and sent. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Sends an event.
   * @param json one line
   * @returns false if the event is dropped, because the client has too much to read or the answer is over
   */
  send(event: string, json: string): boolean {
    if (this.body.readableLength > mostWaiting) return false;
    return this.#push(`event: ${event}\ndata: ${json}\n\n`);
  }

  /** Completes the answer. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (!this.#gone.signal.aborted) this.body.push(null);
  }

  #push(text: string): boolean {
    if (this.#isOver || this.#gone.signal.aborted) return false;
    this.body.push(text);
    return true;
  }
}
