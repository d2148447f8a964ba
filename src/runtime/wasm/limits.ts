/**
 * Limits of one run of a handler. Steps are function calls and loop iterations. Host functions, and instructions that
 * move or add memory, are charged in steps.
 */
export interface HandlerLimits {
  readonly steps: number;
  /** Bytes. */
  readonly memory: number;
  readonly logLines: number;
  /** Total characters of all lines. */
  readonly logText: number;
  /** Entities set or removed. */
  readonly writes: number;
  /** Contract reads, including balances and code. */
  readonly calls: number;
  readonly dataSources: number;
}

/**
 * The limits that graph-node's gas imposes on a handler that does only one thing: 100,000 log lines, 250,000 writes,
 * 1,440 calls and 100,000 data sources. graph-node's limits of steps and memory are far higher: an hour's worth of
 * steps, and 4 GiB.
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

/** The words around a limit's number: `logged more than` 100,000 `lines`. */
const words: Readonly<Record<keyof HandlerLimits, readonly [string, string]>> = {
  steps: ["took more than", "steps (function calls and loop iterations): it probably never ends"],
  memory: ["needed more than", "bytes of memory"],
  logLines: ["logged more than", "lines"],
  logText: ["logged more than", "characters"],
  writes: ["set or removed more than", "entities"],
  calls: ["read contracts more than", "times"],
  dataSources: ["created more than", "data sources"],
};

/** The message for an exceeded limit: `took more than 1,000 steps …`. */
export function limitText(kind: keyof HandlerLimits, limit: number): string {
  const [before, behind] = words[kind];
  return `${before} ${limit.toLocaleString("en-US")} ${behind}`;
}
