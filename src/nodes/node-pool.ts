import type { Meters, NodeOutcome } from "../base/meters.js";
import { visible } from "../base/visible.js";
import type { World } from "../base/world.js";
import { isAway, NodeAddress, type NodeAnswer } from "./node-address.js";
import { NodeWatch, type SayLine } from "./node-watch.js";

/** The nodes' network, and those who observe them. */
export interface Metered {
  readonly network: string;
  /** The counter of requests. */
  readonly meters: Meters | undefined;
  /** Receives a line when they are away, and when they are back. */
  readonly say?: SayLine | undefined;
}

/** The nodes of a network. If one address fails, the next one is asked. */
export class NodePool {
  readonly #addresses: readonly NodeAddress[];
  readonly #world: World;
  readonly #signal: AbortSignal;
  readonly #metered: Metered | undefined;
  /** The state of the nodes. */
  readonly watch: NodeWatch;

  /** @throws Error if an address is not a web URL */
  constructor(addresses: readonly string[], world: World, signal: AbortSignal, metered: Metered | undefined) {
    this.#addresses = addresses.map((address) => new NodeAddress(address, world));
    this.#world = world;
    this.#signal = signal;
    this.#metered = metered;
    this.watch = new NodeWatch(metered?.network ?? "the network", () => world.now(), metered?.say);
  }

  /** The nodes' name in messages. */
  get name(): string {
    return this.#addresses[0]?.name ?? "";
  }

  /** Asks one address after another until one answers. Those that failed recently come last. */
  async post(body: string): Promise<NodeAnswer> {
    const fresh = this.#addresses.filter(({ rests }) => !rests);
    const all = [...fresh, ...this.#addresses.filter((address) => !fresh.includes(address))];
    const asked = this.#world.now();
    let answer: NodeAnswer = { status: 503, bytes: new TextEncoder().encode("no node is configured") };
    for (const address of all) {
      const began = this.#world.now();
      answer = await address.post(body, this.#signal);
      this.#count(address, answer, began);
      if (!isAway(answer.status)) {
        this.watch.answered();
        return answer;
      }
    }
    if (!this.#signal.aborted) this.watch.failed(whyOf(answer), asked);
    return answer;
  }

  /** Removes possible keys of the addresses from a string, because nodes repeat them. */
  redact(text: string): string {
    return this.#addresses.reduce((clean, address) => address.redact(clean), text);
  }

  #count({ name }: NodeAddress, answer: NodeAnswer, began: number): void {
    const { network, meters } = this.#metered ?? {};
    if (!meters || network === undefined || this.#signal.aborted) return;
    const outcome = outcomeOf(answer.status);
    const seconds = (this.#world.now() - began) / 1000;
    if (outcome === "answered") meters.askedNode(network, outcome, seconds, name);
    else meters.askedNode(network, outcome, seconds, name, whyOf(answer));
  }
}

/** The reason for a missing answer, without a final period. */
function whyOf({ status, bytes, silence }: NodeAnswer): string {
  const text = visible(new TextDecoder().decode(bytes.subarray(0, 300)).trim());
  if (silence) return text;
  return `HTTP status ${status}${text === "" ? "" : `: ${text}`}`;
}

function outcomeOf(status: number): NodeOutcome {
  if (status === 200) return "answered";
  if (status === 429) return "limited";
  return isAway(status) ? "away" : "refused";
}
