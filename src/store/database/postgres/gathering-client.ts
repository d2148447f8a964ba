import { Socket } from "node:net";
import pg from "pg";

/** A connection that can send several statements at once: each sending costs more than what is sent. */
export class GatheringClient extends pg.Client {
  readonly #socket: Socket;
  /** Whether something lies here that nobody waits for. */
  #isHolding = false;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  /** Sends what work begins to send together with what else is sent in the same go. */
  gather<Result>(work: () => Result): Result {
    this.#socket.cork();
    queueMicrotask(() => {
      this.#socket.uncork();
      this.#letGo();
    });
    return work();
  }

  /**
   * Sends what work begins to send, and what nobody waits for, together with what comes next on the connection.
   * @param rest after it nothing has come
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
