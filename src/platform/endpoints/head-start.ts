import type { Endpoint } from "../subgraphs/endpoints.js";
import type { Answerer, AskedQuery, Begun } from "./answerer.js";

/** Addresses that are remembered. */
const most = 1_000;

/** Where an address leads, and what was begun on the way there. */
export interface Reached {
  /** Nothing when there is nothing at the address. */
  readonly endpoint: Endpoint | undefined;
  /** Nothing when it was not known where the address led, or the answer need not be asked for. */
  readonly begun: Begun | undefined;
}

/**
 * Begins to answer while it is looked up where an address leads, as if that was where it led last: both take the
 * database an exchange. Who wants the answer compares.
 */
export class HeadStart {
  readonly #answerer: Answerer;
  readonly #last = new Map<string, Endpoint>();

  constructor(answerer: Answerer) {
    this.#answerer = answerer;
  }

  /** @param find looks up where the address leads */
  async reach(
    address: string,
    asked: AskedQuery,
    find: () => Promise<Endpoint | undefined>,
  ): Promise<Reached> {
    const begun = this.#begin(address, asked);
    const endpoint = await find();
    this.#learn(address, endpoint);
    return { endpoint, begun };
  }

  #begin(address: string, asked: AskedQuery): Begun | undefined {
    const endpoint = this.#last.get(address);
    const { question } = asked;
    if (!endpoint?.indexed || question === undefined) return undefined;
    if (this.#answerer.knows(endpoint.deployment, question)) return undefined;
    const answer = this.#answerer.ask(endpoint, asked);
    // Whoever uses it hears of it; till then it must not count as unhandled.
    answer.catch(() => undefined);
    return { endpoint, answer };
  }

  #learn(address: string, endpoint: Endpoint | undefined): void {
    this.#last.delete(address);
    if (!endpoint) return;
    this.#last.set(address, endpoint);
    const [oldest] = this.#last.keys();
    if (this.#last.size > most && oldest !== undefined) this.#last.delete(oldest);
  }
}
