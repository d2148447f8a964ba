import { Socket } from "node:net";
import pg from "pg";

/** A connection that can send several statements at once: each sending costs more than what is sent. */
export class GatheringClient extends pg.Client {
  readonly #socket: Socket;

  constructor(config?: pg.ClientConfig) {
    const socket = new Socket();
    super({ ...config, stream: () => socket });
    this.#socket = socket;
  }

  /** Sends what work begins to send together with what else is sent in the same go. */
  gather<Result>(work: () => Result): Result {
    this.#socket.cork();
    queueMicrotask(() => this.#socket.uncork());
    return work();
  }
}
