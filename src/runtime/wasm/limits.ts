/**
 * What one run of a handler may take. Steps are calls of functions and turns of loops, what the host does being counted
 * as such.
 */
export interface HandlerLimits {
  readonly steps: number;
  /** Bytes. */
  readonly memory: number;
  readonly logLines: number;
  /** Characters of all lines together. */
  readonly logText: number;
  /** Entities set or removed. */
  readonly writes: number;
  /** Reads of contracts, balances and code. */
  readonly calls: number;
  readonly dataSources: number;
}

/**
 * Where graph-node's gas ends a handler that does only one thing: 100,000 log lines, 250,000 writes, 1,440 calls and
 * 100,000 data sources. Of steps and memory it allows more, an hour's worth and 4 GiB, than anybody waits for.
 */
export const handlerLimits: HandlerLimits = {
  steps: 1_000_000_000,
  memory: 2 ** 30,
  logLines: 100_000,
  logText: 100_000_000,
  writes: 250_000,
  calls: 1_440,
  dataSources: 100_000,
};

/** What a limit is of, before and behind its number: `logged more than` 100,000 `lines`. */
const words: Readonly<Record<keyof HandlerLimits, readonly [string, string]>> = {
  steps: [
    "took more than",
    "steps, which are calls of functions and turns of loops: it does not seem to end",
  ],
  memory: ["needed more than", "bytes of memory"],
  logLines: ["logged more than", "lines"],
  logText: ["logged more than", "characters"],
  writes: ["set or removed more than", "entities"],
  calls: ["read contracts more than", "times"],
  dataSources: ["created more than", "data sources"],
};

/** Says that a handler has broken a limit: `took more than 1,000 steps …`. */
export function limitText(kind: keyof HandlerLimits, limit: number): string {
  const [before, behind] = words[kind];
  return `${before} ${limit.toLocaleString("en-US")} ${behind}`;
}
