import type { LogEntry } from "../../api/contract.js";
import type { ManagementApi } from "../../api/management-api.js";
import type { LogSelection } from "./log-selection.js";
import { millisecondsOf } from "./log-time.js";

/**
 * Reads a log incrementally. A round is one query with all its cursors; the next round begins at the newest
 * time of the last one, whose entries may be returned again.
 */
export class LogTail {
  readonly #api: Pick<ManagementApi, "logs">;
  readonly #subgraph: { readonly name: string; readonly version: string };
  readonly #levels: string;
  /** Start time of the round's query, in milliseconds: a cursor is only valid together with it. */
  #after: number;
  #cursor: number | undefined;
  /** Number of occurrences of each entry at the time `#after` in earlier rounds. */
  #seen = new Map<string, number>();
  /** The occurrences in this round. */
  #again = new Map<string, number>();
  /** The newest time of this round, and the number of occurrences of each of its entries. */
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

  /** Whether the last page announced a further one. */
  get isBehind(): boolean {
    return this.#cursor !== undefined;
  }

  /** Fetches the entries since the last call, oldest first. */
  async next(): Promise<readonly LogEntry[]> {
    const { results, cursor } = await this.#api.logs(this.#subgraph.name, this.#subgraph.version, {
      after: this.#after,
      direction: "asc",
      log_levels: this.#levels,
      ...(this.#cursor !== undefined && { cursor: this.#cursor }),
    });
    // A cursor that does not advance ends the round.
    this.#cursor = cursor === this.#cursor ? undefined : cursor;
    const fresh = results
      .toSorted((a, b) => millisecondsOf(a.timestamp) - millisecondsOf(b.timestamp))
      .filter((entry) => this.#take(entry));
    if (this.#cursor === undefined) this.#endRound();
    return fresh;
  }

  /** Records an entry; returns whether it is new. Identical entries are counted. */
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
    // The server may omit entries of a time that was queried before.
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
