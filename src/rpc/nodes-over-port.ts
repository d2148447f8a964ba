import { reportFailure } from "../base/failures.js";
import { guarded } from "../base/turns/guarded.js";
import type { Port } from "../base/turns/port.js";
import { PortCaller } from "../base/turns/port-calls.js";
import type { World } from "../base/world.js";
import { ChainError } from "../runtime/chain/chain.js";
import type { Files } from "../runtime/files/files.js";
import { fetchOf } from "./gateway-fetch.js";
import type { NodesCalls, NodesMessage } from "./messages.js";

/**
 * How long a thread may wait for an answer, in milliseconds. Requests wait for their turn, and nodes have a separate
 * timeout, so a thread that asked again would only wait longer.
 */
export const longestTurn = 600_000;

/** A thread's access to the network: nodes and files, over a port that `serveNodes` serves. */
export class NodesOverPort {
  readonly #port: Port;
  readonly #calls: PortCaller<NodesCalls, string>;
  #isNew = false;
  #wake: (() => void) | undefined;

  /** @param signal ends all requests once aborted */
  constructor(port: Port, signal: AbortSignal) {
    this.#port = port;
    this.#calls = new PortCaller(
      (call) => port.postMessage(call),
      (message) => new ChainError(message),
    );
    const stop = guarded(() => this.#calls.end(new Error("stopped")), reportFailure);
    if (signal.aborted) stop();
    signal.addEventListener("abort", stop, { once: true });
    const take = (message: NodesMessage): void => {
      if (message === "head") {
        this.#isNew = true;
        this.#wake?.();
      } else this.#calls.settle(message);
    };
    port.on("message", guarded(take, reportFailure));
  }

  /** Sends a body to the nodes, regardless of the address. */
  readonly fetch: World["fetch"] = fetchOf((body) => this.#calls.call("rpc", body));

  readonly files: Files = {
    read: (path, milliseconds) => this.#calls.call("file", path, milliseconds),
  };

  /** Waits until the chain's head has changed since the last call, or a time has passed. */
  async newHead(sleep: (milliseconds: number) => Promise<void>, most: number): Promise<void> {
    if (!this.#isNew) {
      const noticed = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([noticed, sleep(most)]);
    }
    this.#isNew = false;
  }

  close(): void {
    this.#port.close();
  }
}
