import { noRows, type Rows } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import type { Source, SourceBatch, SourcePosition } from "../../../src/pipelines/sources/source.js";

/** The columns of a played feed. */
export const feedColumns: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: false },
  { name: "owner", type: "STRING", nullable: false },
  { name: "amount", type: "DECIMAL", nullable: true },
  { name: "version", type: "LONG", nullable: false },
];

/** A row of a feed: the values of `feedColumns`. */
export type Thing = readonly [id: string, owner: string, amount: string | null, version: bigint];

/** Ids that a careless sink takes for each other, or for something else than text. */
const ids = ["x", "X", "x ", "é", "e\u0301", "😀", "\\N", "back\\", "'\"`", "tab\tline\n", "", "null", "$1"];

/** A feed of entities that a test inserts, updates and deletes, several times within a batch. */
export class PlayedFeed {
  /** What happened, one entry for each batch. */
  readonly entries: { readonly minus: readonly Thing[]; readonly plus: readonly Thing[] }[] = [];
  /** Batches that change an entity more than once. */
  repeating = 0;
  readonly #things = new Map<string, Thing>();
  readonly #random: () => number;

  /** @param random numbers from 0 to 1 */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** Adds a batch of up to ten changes. */
  change(): void {
    const minus: Thing[] = [];
    const plus: Thing[] = [];
    const changed = new Set<string>();
    let changes = 0;
    for (let count = Math.floor(this.#random() * 10); count >= 0; count -= 1) {
      const id = this.#oneOf(ids);
      changed.add(id);
      changes += 1;
      const old = this.#things.get(id);
      if (old) minus.push(old);
      if (old && this.#random() < 0.3) this.#things.delete(id);
      else {
        const amount = this.#random() < 0.2 ? null : String(Math.floor(this.#random() * 1_000));
        const thing: Thing = [id, this.#oneOf(["me", "you"]), amount, BigInt(this.entries.length)];
        this.#things.set(id, thing);
        plus.push(thing);
      }
    }
    this.entries.push({ minus, plus });
    if (changes > changed.size) this.repeating += 1;
  }

  /** All entities as they are now. */
  get things(): readonly Thing[] {
    return [...this.#things.values()];
  }

  #oneOf(choices: readonly string[]): string {
    return choices[Math.floor(this.#random() * choices.length)] ?? "";
  }
}

/**
 * Reads a played feed from a position to its end, some entries at a time.
 * @param last the last entry
 */
export function feedSource(feed: PlayedFeed, last = Number.POSITIVE_INFINITY): Source {
  return {
    async *batches(position: SourcePosition | undefined): AsyncGenerator<SourceBatch> {
      let next = position?.next ?? 0;
      while (next < feed.entries.length && next <= last) {
        const entries = feed.entries.slice(next, Math.min(next + 3, last + 1));
        const from = next;
        next += entries.length;
        yield {
          from,
          to: next - 1,
          isUndone: false,
          delta: {
            minus: rowsOf(entries.flatMap(({ minus }) => minus)),
            plus: rowsOf(entries.flatMap(({ plus }) => plus)),
          },
          position: { next, open: [] },
        };
      }
    },
  };
}

function rowsOf(things: readonly Thing[]): Rows {
  if (things.length === 0) return noRows(feedColumns.length);
  return {
    count: things.length,
    columns: feedColumns.map((_, column) => things.map((thing) => thing[column] ?? null)),
  };
}
