import type { LogEntry } from "../../api/contract.js";
import { visible } from "../../base/text/visible.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import type { SubgraphArguments } from "./manage-subgraph.js";

/** From the most to the least serious. */
export const logLevels = ["error", "warn", "info", "debug"] as const;

export interface LogArguments extends SubgraphArguments {
  readonly since: string;
  readonly format: "pretty" | "json" | "text";
  readonly filter: (typeof logLevels)[number];
  readonly levels?: string | undefined;
  /** Seconds between two polls. */
  readonly interval: number;
  readonly follow: boolean;
  readonly color: boolean;
}

/** Filters of log entries. */
export interface LogSelection {
  /** Milliseconds since the Unix epoch. */
  readonly after: number;
  readonly levels: readonly string[];
}

/**
 * Reads the arguments.
 * @param now milliseconds since the Unix epoch
 * @throws UsageError for invalid arguments
 */
export function logSelection({ since, filter, levels, interval }: LogArguments, now: number): LogSelection {
  if (!Number.isFinite(interval) || interval <= 0)
    throw new UsageError("--interval must be a number of seconds greater than 0.");
  return {
    after: now - duration(since),
    levels: levels === undefined ? logLevels.slice(0, logLevels.indexOf(filter) + 1) : levelList(levels),
  };
}

/** Whether an entry is selected; entries of unknown levels always are. */
export function isWanted({ level }: LogEntry, { levels }: LogSelection): boolean {
  const word = levelOf(level);
  return !logLevels.some((known) => known === word) || levels.includes(word);
}

/** A server's level in graphloom's spelling. */
export function levelOf(level: string): string {
  const word = level.toLowerCase();
  return word === "warning" ? "warn" : word;
}

const milliseconds: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function duration(text: string): number {
  if (text === "now") return 0;
  const [, number, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const factor = milliseconds[unit];
  if (number !== undefined && factor !== undefined) return Number(number) * factor;
  throw new UsageError(
    `--since: "${visible(text)}" is not a duration: write now, or a number followed by s, m, h or d, such as 5m`,
  );
}

function levelList(text: string): readonly string[] {
  const words = text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
  const unknown = words.find((word) => !logLevels.some((level) => level === word));
  if (unknown !== undefined || words.length === 0)
    throw new UsageError(
      `--levels: "${visible(unknown ?? text)}" is not a level. The levels are: ${logLevels.join(", ")}`,
    );
  return words;
}
