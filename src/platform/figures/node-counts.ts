import type { Meters, NodeFailure, NodeOutcome } from "../../base/meters.js";
import { hour, minute } from "./ranges.js";

/** The requests to a node in the last hour. */
export interface NodeCount {
  /** Its protocol, host and port. The rest of its address may hold a key. */
  readonly node: string;
  readonly requests: Readonly<Record<NodeOutcome, number>>;
  /** How long answers took on average, in seconds; `undefined` without an answer. */
  readonly meanSeconds: number | undefined;
  /** How its last request ended. */
  readonly last: NodeOutcome;
  /** The last unanswered request with a known reason. */
  readonly failure?: NodeFailure;
  /** Its requests by minute, oldest first. Minutes without one are missing. */
  readonly minutes: readonly MinuteOfRequests[];
}

/** The requests to a node in a minute, by outcome. */
export interface MinuteOfRequests {
  /** Its beginning, in milliseconds since 1970. */
  readonly at: number;
  readonly requests: Readonly<Record<NodeOutcome, number>>;
}

/** The requests to nodes in the last hour. */
export interface RecentNodeCounts {
  /** The nodes of a network that were sent a request, in the order of their names. */
  recent(network: string): readonly NodeCount[];
}

type Mutable<Whole> = { -readonly [Field in keyof Whole]: Whole[Field] };

interface Sum {
  readonly requests: Mutable<NodeCount["requests"]>;
  /** Of the requests that were answered. */
  seconds: number;
  last: NodeOutcome;
  failure?: NodeFailure;
}

/** Counts the requests to nodes by minutes, and keeps the last hour in memory. */
export class NodeCounts implements RecentNodeCounts {
  readonly #now: () => number;
  /** By minute since 1970, oldest first, and then by network and node. */
  readonly #minutes = new Map<number, Map<string, Map<string, Sum>>>();

  /** @param now milliseconds since 1970 */
  constructor(now: () => number) {
    this.#now = now;
  }

  get meters(): Pick<Meters, "askedNode"> {
    return { askedNode: (...asked) => this.#add(...asked) };
  }

  recent(network: string): readonly NodeCount[] {
    this.#forget();
    const sums = new Map<string, Sum>();
    const minutes = new Map<string, MinuteOfRequests[]>();
    for (const [number, networks] of this.#minutes) {
      for (const [node, one] of networks.get(network) ?? []) {
        const sum = inMap(sums, node, emptySum);
        inMap(minutes, node, () => []).push({ at: number * minute, requests: { ...one.requests } });
        for (const [outcome, count] of Object.entries(one.requests))
          sum.requests[outcome as NodeOutcome] += count;
        sum.seconds += one.seconds;
        sum.last = one.last;
        if (one.failure) sum.failure = one.failure;
      }
    }
    const names = [...sums.keys()].sort();
    return names.map((node) => {
      const { requests, seconds, last, failure } = inMap(sums, node, emptySum);
      const meanSeconds = requests.answered > 0 ? seconds / requests.answered : undefined;
      const known = { node, requests, meanSeconds, last, minutes: minutes.get(node) ?? [] };
      return failure ? { ...known, failure } : known;
    });
  }

  #add(network: string, outcome: NodeOutcome, seconds: number, node: string, why?: string): void {
    this.#forget();
    const networks = inMap(this.#minutes, Math.floor(this.#now() / minute), () => new Map());
    const nodes = inMap<string, Map<string, Sum>>(networks, network, () => new Map());
    const sum = inMap(nodes, node, emptySum);
    sum.requests[outcome] += 1;
    sum.last = outcome;
    if (why !== undefined) sum.failure = { at: this.#now(), why };
    if (outcome === "answered") sum.seconds += seconds;
  }

  #forget(): void {
    const current = Math.floor(this.#now() / minute);
    const oldest = current - hour / minute;
    // Minutes after the current one date from before the clock was set back.
    for (const at of this.#minutes.keys()) if (at <= oldest || at > current) this.#minutes.delete(at);
  }
}

function emptySum(): Sum {
  return { requests: { answered: 0, limited: 0, refused: 0, away: 0 }, seconds: 0, last: "answered" };
}

function inMap<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
