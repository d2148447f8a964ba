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
  /** Milliseconds between polls of a chain's head, for all who need it together. Default: one second. */
  readonly pollInterval?: number | undefined;
  /** Bytes of cached answers of a network for each kind of askers, if they differ from the default. */
  readonly cacheBytes?: number;
  /** The counter of requests to nodes. */
  readonly meters?: Meters | undefined;
  /** Receives a line when a network's node is away or stuck, and when it is back. */
  readonly say?: SayLine | undefined;
}

/**
 * The nodes of a server: one gateway for each network, which all parts of the server share. Its limits hold
 * for the whole server.
 */
export class Nodes {
  readonly #gateways: ReadonlyMap<string, Gateway>;
  readonly #closing = new AbortController();

  /**
   * @param addresses of JSON-RPC nodes by network. If one fails, the next is asked
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

  /** The networks, in the order in which they were given. */
  get networks(): readonly string[] {
    return [...this.#gateways.keys()];
  }

  /** The nodes of a network; `undefined` if there are none. */
  of(network: string): Gateway | undefined {
    return this.#gateways.get(network);
  }

  /** A `fetch` that sends every body to one node of a network. @param place of the node in the list of the network */
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
