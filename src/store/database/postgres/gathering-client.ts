import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import pg from "pg";

/** A connection that can send several statements at once, because a write costs more than its contents. */
export class GatheringClient extends pg.Client {
  /** Milliseconds that a statement outside of transactions may take; `undefined` for the server's own limit. */
  timeLimit: number | undefined;
  /** The number of the server's process, once it is known. */
  backend = 0;
  readonly #socket: Duplex;
  /** Whether the buffer holds statements whose results no caller awaits. */
  #isHolding = false;

  constructor(config?: pg.ClientConfig) {
    const socket = config?.stream?.() ?? new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  /** Sends the statements that the work starts in one write. */
  gather<Result>(work: () => Result): Result {
    this.#socket.cork();
    queueMicrotask(() => {
      this.#socket.uncork();
      this.#letGo();
    });
    return work();
  }

  /**
   * Holds back the statements that the work starts, whose results no caller awaits, and sends them with the
   * next statement.
   * @param rest once it settles, the statements are sent even if nothing has followed
   */
  hold<Result>(work: () => Result, rest: Promise<void>): Result {
    if (!this.#isHolding) {
      this.#isHolding = true;
      this.#socket.cork();
    }
    const letGo = (): void => this.#letGo();
    rest.then(letGo, letGo);
    return work();
  }

  #letGo(): void {
    if (!this.#isHolding) return;
    this.#isHolding = false;
    this.#socket.uncork();
  }
}
