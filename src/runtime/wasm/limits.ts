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
 * A handler may read contracts as often as graph-node's gas allows: a read costs 5,000,010,000 of 10^15. The other limits
 * protect this machine and are lower than graph-node's, whose gas allows 10 million log lines, 25 million writes,
 * 10 million data sources and more than a day of steps, in 4 GiB.
 */
export const handlerLimits: HandlerLimits = {
  steps: 1_000_000_000,
  memory: 2 ** 30,
  logLines: 100_000,
  logText: 100_000_000,
  writes: 250_000,
  calls: 199_999,
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
