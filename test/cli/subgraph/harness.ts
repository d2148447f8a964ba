import type { LogLevel } from "../../../src/store/logs/log-line.js";
import { type Api, deployed } from "../remote/harness.js";

const seconds = 1000;

type Entry = readonly [secondsAgo: number, level: LogLevel, text: string];

/** Deploys a subgraph with these log entries; the returned function adds more. */
export async function logged(all: Api, ...entries: readonly Entry[]) {
  await deployed(all, "pools", "1.0.0");
  const now = Date.now();
  const add = (...more: readonly Entry[]): Promise<void> =>
    all.server.log(
      "pools",
      "1.0.0",
      ...more.map(([ago, level, text]) => ({ timestamp: now - ago * seconds, level, text })),
    );
  await add(...entries);
  return { ...all, add };
}

/** The texts of the log entries in the output. */
export function texts(out: string): readonly string[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\S+ \w+ +/, ""));
}
