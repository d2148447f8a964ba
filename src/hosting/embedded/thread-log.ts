import type { LogLine as MappingLine } from "../../runtime/indexer/handler-world.js";
import type { HostedLevel, HostedLine } from "../engine.js";
import { lastLines } from "../logs/last-lines.js";

/** Errors that are told at once, and other lines. */
const most = 1_000;
const longest = 10_000;

/** Gathers the lines that a thread says, so that they are told many at a time; of too many the last ones, errors apart. */
export class ThreadLog {
  readonly #now: () => number;
  #lines: HostedLine[] = [];
  #dropped = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  say(level: HostedLevel, text: string): void {
    this.#lines.push({ level, text: text.slice(0, longest), timestamp: this.#now() });
    if (this.#lines.length <= 3 * most) return;
    const last = lastLines(this.#lines, most);
    this.#dropped += this.#lines.length - last.length;
    this.#lines = last;
  }

  /** Adds what handlers have logged. */
  addAll(lines: readonly MappingLine[]): void {
    for (const { level, message } of lines) this.say(levels[level], message);
  }

  /** Takes what was said since the last time. */
  take(): readonly HostedLine[] {
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

const levels: Readonly<Record<MappingLine["level"], HostedLevel>> = {
  critical: "error",
  error: "error",
  warning: "warn",
  info: "info",
  debug: "debug",
};
