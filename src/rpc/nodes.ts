import { setMaxListeners } from "node:events";
import type { Meters } from "../base/meters.js";
import type { World } from "../base/world.js";
import type { Asker } from "./asker.js";
import type { NodeLimits } from "./fair-queue.js";
import { Gateway } from "./gateway.js";
import { fetchOf } from "./gateway-fetch.js";
import type { SayLine } from "./node-watch.js";

/** How a server uses the nodes of all networks. */
export interface NodesOptions extends NodeLimits {
  /** Milliseconds between polls of a chain's head, shared by all callers; by default one second. */
  readonly pollInterval?: number | undefined;
  /** Bytes of cached answers per network and kind of askers, to override the default. */
  readonly cacheBytes?: number;
  /** The counter of requests to nodes. */
  readonly meters?: Meters | undefined;
  /** Receives a line when a network's nodes are away or stuck, and when they are back. */
  readonly say?: SayLine | undefined;
}

/**
 * The nodes of a server: one gateway per network, which all parts of the server share. Limits apply to the whole
 * server.
 */
export class Nodes {
  readonly #gateways: ReadonlyMap<string, Gateway>;
  readonly #closing = new AbortController();

  /**
   * @param addresses JSON-RPC addresses by network. If one fails, the next is asked
   * @throws Error if an address is not a web URL
   */
  constructor(
    addresses: ReadonlyMap<string, readonly string[]>,
    world: World,
    { pollInterval = 1_000, meters, say, ...limits }: NodesOptions = {},
  ) {
    const { signal } = this.#closing;
    // Every request adds a listener.
    setMaxListeners(0, signal);
    this.#gateways = new Map(
      [...addresses].map(([network, urls]) => {
        const options = { ...limits, pollInterval, metered: { network, meters, say } };
        return [network, new Gateway(urls, options, world, signal)];
      }),
    );
  }

  /** The networks, in the given order. */
  get networks(): readonly string[] {
    return [...this.#gateways.keys()];
  }

  /** The nodes of a network; `undefined` if there are none. */
  of(network: string): Gateway | undefined {
    return this.#gateways.get(network);
  }

  /**
   * A `fetch` that sends every body to one node of a network.
   * @param place the node's position in the network's list
   */
  fetchFrom(network: string, asker: Asker, place: number): World["fetch"] {
    return fetchOf(async (body, signal) => {
      const answer = await this.of(network)?.answer(asker, body, signal, place);
      signal?.throwIfAborted();
      if (!answer) throw new Error(`there is no node of ${network}`);
      return answer;
    });
  }

  /** Ends all requests. */
  close(): void {
    this.#closing.abort();
  }
}
