import type { LogEntry } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import type { LogSelection } from "./log-selection.js";
import { millisecondsOf } from "./log-time.js";

/**
 * Reads a log piece by piece. A round is what one question and its cursors give; the next round begins at the newest
 * time of the last one, whose entries may come again.
 */
export class LogTail {
  readonly #api: Pick<ManagementApi, "logs">;
  readonly #subgraph: { readonly name: string; readonly version: string };
  readonly #levels: string;
  /** What is asked for: a cursor only has a meaning beside the time it was given for. In milliseconds. */
  #after: number;
  #cursor: number | undefined;
  /** How often each entry of the time `#after` was seen in earlier rounds. */
  #seen = new Map<string, number>();
  /** The same for this round. */
  #again = new Map<string, number>();
  /** The newest time of this round, and how often each of its entries was there. */
  #newest: { time: number; counts: Map<string, number> };

  constructor(
    api: Pick<ManagementApi, "logs">,
    subgraph: { readonly name: string; readonly version: string },
    { levels, after }: LogSelection,
  ) {
    this.#api = api;
    this.#subgraph = subgraph;
    this.#levels = levels.join(",");
    this.#after = after;
    this.#newest = { time: after, counts: new Map() };
  }

  /** Whether the last answer said that there is more. */
  get isBehind(): boolean {
    return this.#cursor !== undefined;
  }

  /** What has come since the last time, oldest first. */
  async next(): Promise<readonly LogEntry[]> {
    const { results, cursor } = await this.#api.logs(this.#subgraph.name, this.#subgraph.version, {
      after: this.#after,
      direction: "asc",
      log_levels: this.#levels,
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
    });
    // A cursor that stands still says nothing new.
    this.#cursor = cursor === this.#cursor ? undefined : cursor;
    const fresh = results
      .toSorted((a, b) => millisecondsOf(a.timestamp) - millisecondsOf(b.timestamp))
      .filter((entry) => this.#take(entry));
    if (this.#cursor === undefined) this.#endRound();
    return fresh;
  }

  /** Notes an entry; whether it is new. Equal ones are as many entries as there are. */
  #take(entry: LogEntry): boolean {
    const time = millisecondsOf(entry.timestamp);
    const key = `${entry.level} ${entry.text}`;
    if (time > this.#newest.time) this.#newest = { time, counts: new Map() };
    if (time === this.#newest.time) increase(this.#newest.counts, key);
    if (time !== this.#after) return time > this.#after;
    return increase(this.#again, key) > (this.#seen.get(key) ?? 0);
  }

  #endRound(): void {
    const { time, counts } = this.#newest;
    // Of a time that was asked for before, everything need not have come again.
    if (time === this.#after) {
      for (const [key, count] of counts) this.#seen.set(key, Math.max(count, this.#seen.get(key) ?? 0));
    } else this.#seen = counts;
    this.#after = time;
    this.#again = new Map();
    this.#newest = { time, counts: new Map() };
  }
}

function increase(counts: Map<string, number>, key: string): number {
  const count = (counts.get(key) ?? 0) + 1;
  counts.set(key, count);
  return count;
}
