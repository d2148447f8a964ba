import type { LogLine as MappingLine } from "../../runtime/indexer/handler-world.js";
import type { LogLevel, LogLine } from "../../store/logs/log-line.js";
import { lastLines } from "../logs/last-lines.js";

/** The number of errors and of other lines per message. */
const most = 1_000;
const longest = 10_000;

/**
 * Collects the log lines of a thread, to send them in batches. If there are too many, it keeps the last ones, and
 * counts errors separately.
 */
export class ThreadLog {
  readonly #now: () => number;
  #lines: LogLine[] = [];
  #dropped = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  say(level: LogLevel, text: string): void {
    this.#lines.push({ level, text: text.slice(0, longest), timestamp: this.#now() });
    if (this.#lines.length <= 3 * most) return;
    const last = lastLines(this.#lines, most);
    this.#dropped += this.#lines.length - last.length;
    this.#lines = last;
  }

  /** Adds the handlers' log lines. */
  addAll(lines: readonly MappingLine[]): void {
    for (const { level, message } of lines) this.say(levels[level], message);
  }

  /** Takes the lines since the last call. */
  take(): readonly LogLine[] {
    const lines = this.#lines;
    const dropped = this.#dropped;
    this.#lines = [];
    this.#dropped = 0;
    const [first] = lines;
    if (dropped === 0 || !first) return lines;
    const text = `${dropped.toLocaleString("en")} lines before this one were dropped, because too many came at once`;
    return [{ level: "warn", text, timestamp: first.timestamp }, ...lines];
  }
}

const levels: Readonly<Record<MappingLine["level"], LogLevel>> = {
  critical: "error",
  error: "error",
  warning: "warn",
  info: "info",
  debug: "debug",
};
