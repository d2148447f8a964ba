import { literal } from "../../../src/base/text/sql-quotes.js";
import { joinRows, type Rows } from "../../../src/pipelines/changes/rows.js";
import type { RowColumn } from "../../../src/pipelines/changes/schema.js";
import type {
  BatchLimits,
  Source,
  SourceBatch,
  SourcePosition,
} from "../../../src/pipelines/sources/source.js";
import type { WrittenBlock } from "../../../src/pipelines/state/sink-batch.js";

/** The columns of a played source. */
export const playedColumns: readonly RowColumn[] = [
  { name: "id", type: "STRING", nullable: false },
  { name: "block_number", type: "LONG", nullable: false },
  { name: "who", type: "STRING", nullable: false },
  { name: "amount", type: "DECIMAL", nullable: true },
];

/** Blocks deeper than this are never replaced. */
export const finality = 64;

/** A chain of blocks that a test lengthens and shortens. Blocks deeper than its finality are never replaced. */
export class PlayedChain {
  readonly blocks: WrittenBlock[] = [];
  readonly finality: number;
  readonly #random: () => number;
  #made = 0;

  /** @param random numbers from 0 to 1 */
  constructor(random: () => number, deepest = finality) {
    this.#random = random;
    this.finality = deepest;
  }

  /** Adds a block with up to four rows. Some rows of replaced blocks come again, as transactions do. */
  mine(): void {
    const number = this.blocks.length;
    this.#made += 1;
    const count = Math.floor(this.#random() * 5);
    const indexes = Array.from({ length: count }, (_, index) => index);
    const isAgain = this.#random() < 0.3;
    const rows: Rows = {
      count,
      columns: [
        indexes.map((index) => `${isAgain ? "again" : this.#made}-${number}-${index}`),
        indexes.map(() => BigInt(number)),
        indexes.map(() => "abc".charAt(Math.floor(this.#random() * 3))),
        indexes.map(() => (this.#random() < 0.1 ? null : this.#amount())),
      ],
    };
    this.blocks.push({ number, hash: `0x${this.#made}`, rows });
  }

  /** Replaces the last blocks by others, one more than they were. */
  reorganise(depth: number): void {
    const replaced = Math.min(depth, this.blocks.length);
    this.blocks.length -= replaced;
    for (let count = 0; count <= replaced; count += 1) this.mine();
  }

  /** All rows, in order. */
  get rows(): readonly Readonly<Record<string, unknown>>[] {
    return rowsOfBlocks(this.blocks);
  }

  /** Some amounts are larger than any type of 64 or 128 bits. */
  #amount(): string {
    const small = BigInt(Math.floor(this.#random() * 1_000));
    return String(this.#random() < 0.3 ? 2n ** 256n - 1n - small : small);
  }
}

/** The rows of blocks by column, in order. */
export function rowsOfBlocks(blocks: readonly WrittenBlock[]): readonly Readonly<Record<string, unknown>>[] {
  return blocks.flatMap(({ rows }) =>
    Array.from({ length: rows.count }, (_, row) =>
      Object.fromEntries(playedColumns.map(({ name }, column) => [name, rows.columns[column]?.[row]])),
    ),
  );
}

/** Blocks of a batch whose rows are stored. */
const storedBlocks = 10;

/** Reads a played chain from a position to its end. Rows of final blocks are stored, if the sink takes them so. */
export function playedSource(chain: PlayedChain): Source {
  return {
    async *batches(
      position: SourcePosition | undefined,
      { stored }: BatchLimits = {},
    ): AsyncGenerator<SourceBatch> {
      let next = position?.next ?? 0;
      let open = [...(position?.open ?? [])];
      for (;;) {
        const final = chain.blocks.length - chain.finality - 1;
        if (stored && open.length === 0 && next <= final) {
          const to = Math.min(final, next + storedBlocks - 1);
          yield storedBatch(chain, next, to);
          next = to + 1;
          continue;
        }
        const last = open.at(-1);
        if (last && chain.blocks[last.number]?.hash !== last.hash) {
          open.pop();
          next = last.number;
          yield {
            from: next,
            to: next,
            isUndone: true,
            delta: { minus: none, plus: none },
            position: { next, open: [...open] },
          };
          continue;
        }
        const block = chain.blocks[next];
        if (!block) return;
        open.push({ number: block.number, hash: block.hash });
        next += 1;
        open = open.filter(({ number }) => number >= chain.blocks.length - chain.finality);
        yield {
          from: block.number,
          to: block.number,
          isUndone: false,
          delta: { minus: none, plus: block.rows },
          position: { next, open: [...open] },
        };
      }
    },
  };
}

const none: Rows = { count: 0, columns: playedColumns.map(() => []) };

/** Final blocks, with a query that makes their rows. */
function storedBatch(chain: PlayedChain, from: number, to: number): SourceBatch {
  const blocks = chain.blocks.slice(from, to + 1);
  const value = (one: unknown): string => (typeof one === "string" ? literal(one) : String(one));
  const rows = blocks.flatMap(({ rows: { count, columns } }) =>
    Array.from({ length: count }, (_, row) => `(${columns.map((column) => value(column[row])).join(", ")})`),
  );
  const columns = "id::VARCHAR, block_number::BIGINT, who::VARCHAR, amount::VARCHAR";
  const all = rows.length > 0 ? rows.join(", ") : "(NULL, NULL, NULL, NULL)";
  const end = { from, to, isUndone: false, position: { next: to + 1, open: [] } } as const;
  return {
    ...end,
    delta: { minus: none, plus: none },
    stored: {
      rows: {
        files: [],
        query: () =>
          `SELECT ${columns} FROM (VALUES ${all}) AS v (id, block_number, who, amount) WHERE id IS NOT NULL`,
      },
      read: async function* () {
        yield {
          ...end,
          delta: {
            minus: none,
            plus: joinRows(
              blocks.map((one) => one.rows),
              none.columns.length,
            ),
          },
        };
      },
    },
  };
}

/** Reads the blocks of a played chain that are never replaced, up to five at a time. */
export function finalSource(chain: PlayedChain): Source {
  return {
    async *batches(
      position: SourcePosition | undefined,
      { stored }: BatchLimits = {},
    ): AsyncGenerator<SourceBatch> {
      const last = finalBlocks(chain).length - 1;
      for (let next = position?.next ?? 0; next <= last; ) {
        const to = Math.min(last, next + 4);
        const batch = storedBatch(chain, next, to);
        // An archive has some blocks, and others are read from a node.
        if (stored && next % 2 === 0) yield batch;
        else yield* batch.stored?.read() ?? [];
        next = to + 1;
      }
    },
  };
}

/** Blocks of a chain that are never replaced. */
export function finalBlocks(chain: PlayedChain): PlayedChain["blocks"] {
  return chain.blocks.slice(0, Math.max(0, chain.blocks.length - chain.finality));
}
