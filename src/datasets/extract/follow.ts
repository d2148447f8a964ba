import { type Block, type BlockPointer, ReorgError } from "../../runtime/chain/chain.js";
import type { Patience } from "../../runtime/chain/rpc/patience.js";
import type { BlockRange } from "../../runtime/indexer/logs/tails.js";
import type { StoredFiles, StoredStretch } from "../archive/stored-logs.js";
import type { DatasetRow } from "../tables/dataset.js";
import { extract } from "./extract.js";
import { type Extraction, type ExtractionSource, forgetUnconfirmed } from "./extraction.js";
import { Pace } from "./pace.js";
import { rowsOfRange } from "./rows-of-range.js";

/** A row that was inserted, or that was deleted because its block is no longer on the chain. */
export interface RowChange {
  readonly operation: "i" | "d";
  readonly row: DatasetRow;
}

/** A block that may still be replaced, with its rows. */
export interface OpenBlock extends BlockPointer {
  readonly rows: readonly DatasetRow[];
}

/** All changes in a range of blocks, in order. Deletions start with the last block. */
export interface ChangeBatch {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly RowChange[];
  /** Where to continue after this batch if the extraction stops. */
  readonly place: FollowedPlace;
  /** Where the rows of the range are stored, if they were not read. Then there are no changes. */
  readonly stored?: StoredBatch | undefined;
}

/** A range with its rows in files. */
export interface StoredBatch {
  readonly files: StoredFiles;
  /** Reads the same range in parts. */
  read(): AsyncGenerator<ChangeBatch, void, void>;
}

/** How far an extraction has come. */
export interface FollowedPlace {
  readonly next: number;
  /** Blocks before it that may still be replaced, in order. */
  readonly open: readonly OpenBlock[];
}

export interface Following {
  /** Asks for the newest final block, given the chain head. */
  readonly finalOf: (head: BlockPointer) => Promise<BlockPointer | undefined>;
  /** Waits for new blocks; resolving to false ends the extraction. */
  readonly waitForBlocks: () => Promise<boolean>;
  /** Limits how long the node may contradict itself. */
  readonly patience: Pick<Patience, "wait" | "reset">;
  /** Where an earlier extraction stopped. Compares its open blocks with the chain first. */
  readonly place?: FollowedPlace | undefined;
  /** The last block; the extraction ends when it is final. */
  readonly last?: number | undefined;
  /** Reads only final blocks, so that no row is ever deleted. */
  readonly finalOnly?: boolean | undefined;
  /** Returns whether the rows of a range's first final blocks are stored, so that they are not read. */
  readonly stretch?: ((range: BlockRange) => Promise<StoredStretch>) | undefined;
}

/**
 * Extracts a dataset and follows the chain head. Deletes the rows of replaced blocks, each by repeating the inserted
 * row. Remembers the hashes of all blocks that are not final, not only the last. A read that a reorganisation
 * interrupts is repeated on the new chain.
 * @throws ChainError if the node contradicts itself for longer than the patience, or replaces blocks that it has
 *   called final; otherwise as `extract`
 */
export async function* follow(
  source: ExtractionSource,
  extraction: Omit<Extraction, "to">,
  following: Following,
): AsyncGenerator<ChangeBatch, void, void> {
  const { patience, waitForBlocks } = following;
  const follower = new Follower(source, extraction, following);
  do {
    for (;;) {
      try {
        for await (const batch of follower.newBatches()) {
          patience.reset();
          yield batch;
        }
        break;
      } catch (error) {
        if (!(error instanceof ReorgError)) throw error;
        forgetUnconfirmed(source);
        await patience.wait(error);
      }
    }
    patience.reset();
    if (follower.isDone) return;
  } while (await waitForBlocks());
}

/** Reads the new part of the chain. After a failure, continues after the last returned batch. */
class Follower {
  readonly #source: ExtractionSource;
  readonly #extraction: Omit<Extraction, "to">;
  readonly #finalOf: Following["finalOf"];
  readonly #stretch: Following["stretch"];
  readonly #end: number;
  readonly #finalOnly: boolean;
  #open: OpenBlock[];
  #next: number;
  #floor: BlockPointer | undefined;

  constructor(
    source: ExtractionSource,
    extraction: Omit<Extraction, "to">,
    { finalOf, stretch, place, last = Number.POSITIVE_INFINITY, finalOnly = false }: Following,
  ) {
    this.#source = source;
    this.#extraction = extraction;
    this.#finalOf = finalOf;
    this.#stretch = stretch;
    this.#end = last;
    this.#finalOnly = finalOnly;
    this.#open = [...(place?.open ?? [])];
    this.#next = place?.next ?? extraction.from;
  }

  /** Whether everything up to the last block is read and final. */
  get isDone(): boolean {
    return this.#next > this.#end && this.#reached >= this.#end;
  }

  get #reached(): number {
    return this.#floor?.number ?? -1;
  }

  /** @throws ReorgError if the chain changes meanwhile; otherwise as `extract` */
  async *newBatches(): AsyncGenerator<ChangeBatch, void, void> {
    const { chain } = this.#source;
    const head = await chain.head();
    const final = await this.#finalOf(head);
    if (final && final.number > this.#reached) this.#floor = final;
    const floor = this.#floor;
    if (floor && isFinal(this.#open.at(-1), floor)) {
      yield* this.#replacedAtHead();
      // All others precede it on the chain.
      if (isFinal(this.#open.at(-1), floor)) this.#open = [];
    }
    if (this.#open.length === 0 && floor)
      yield* this.#settled(Math.min(floor.number, this.#end), head.number);
    const reachable = this.#finalOnly ? -1 : Math.min(head.number, this.#end);
    while (this.#next <= reachable) {
      const block = await chain.block(this.#next);
      if (block === undefined) break;
      if (block === null) {
        this.#next += 1;
        continue;
      }
      const last = this.#open.at(-1);
      if (last && last.hash !== block.parentHash && !(await this.#bearsGap(last, block))) {
        yield this.#undoLast(last);
        continue;
      }
      checkFloor(block, last, floor);
      const made = await rowsOfBlock(this.#source, this.#extraction, block, head.number);
      this.#open.push(made);
      this.#next = block.number + 1;
      yield {
        from: block.number,
        to: block.number,
        changes: insertionsOf(made.rows),
        place: { next: this.#next, open: [...this.#open] },
      };
    }
    yield* this.#replacedAtHead();
    // Keep the last one, to compare with the next block.
    this.#open = this.#open.filter(
      ({ number }, index) => number > this.#reached || index === this.#open.length - 1,
    );
  }

  /**
   * Whether a block can come after another although the numbers have a gap, because the chain has no block between
   * them.
   * @throws ReorgError if this is unknown
   */
  async #bearsGap(last: OpenBlock, block: Block): Promise<boolean> {
    if (block.number === last.number + 1) return false;
    if ((await this.#source.chain.block(last.number))?.hash !== last.hash) return false;
    if (this.#source.verification.bearsGap(last, block)) return true;
    // A reorganisation may have put a block where there was none.
    this.#next = last.number + 1;
    throw new ReorgError(`block ${block.number} does not follow block ${last.number}, the one before it`);
  }

  /** Final blocks, in stretches that are either stored or read. */
  async *#settled(to: number, newest: number): AsyncGenerator<ChangeBatch, void, void> {
    while (this.#next <= to) {
      const from = this.#next;
      const found = await this.#stretch?.({ from, to });
      const last = Math.min(found?.to ?? to, to);
      const part = { ...this.#extraction, from, to: last };
      const read = (): AsyncGenerator<ChangeBatch, void, void> => inserted(this.#source, part, newest);
      if (found?.files) {
        this.#next = last + 1;
        const stored = { files: found.files, read };
        yield { from, to: last, changes: [], place: { next: this.#next, open: [] }, stored };
        continue;
      }
      for await (const batch of read()) {
        this.#next = batch.place.next;
        yield batch;
      }
    }
  }

  /** The chain may be replaced by one of the same length or shorter. */
  async *#replacedAtHead(): AsyncGenerator<ChangeBatch, void, void> {
    for (let last = this.#open.at(-1); last; last = this.#open.at(-1)) {
      const now = await this.#source.chain.block(last.number);
      // A node of a pool may be behind.
      if (now === undefined || now?.hash === last.hash) return;
      yield this.#undoLast(last);
    }
  }

  #undoLast({ number, rows }: OpenBlock): ChangeBatch {
    this.#open.pop();
    this.#next = number;
    return {
      from: number,
      to: number,
      changes: [...rows].reverse().map((row) => ({ operation: "d", row })),
      place: { next: number, open: [...this.#open] },
    };
  }
}

/** The rows of final blocks. */
async function* inserted(
  source: ExtractionSource,
  extraction: Extraction,
  newest: number,
): AsyncGenerator<ChangeBatch, void, void> {
  for await (const { from, to, rows } of extract(source, extraction, newest))
    yield { from, to, changes: insertionsOf(rows), place: { next: to + 1, open: [] } };
}

/** Whether a block on the chain is final. */
function isFinal(block: OpenBlock | undefined, floor: BlockPointer): boolean {
  return block !== undefined && block.number <= floor.number;
}

function insertionsOf(rows: readonly DatasetRow[]): readonly RowChange[] {
  return rows.map((row) => ({ operation: "i", row }));
}

/** @throws ReorgError */
function checkFloor(block: Block, last: OpenBlock | undefined, floor: BlockPointer | undefined): void {
  if (last || !floor || block.number !== floor.number + 1 || block.parentHash === floor.hash) return;
  throw new ReorgError(`block ${floor.number}, which the node has called final, was replaced`);
}

/**
 * The rows of a block.
 * @throws ReorgError if it is replaced while it is read
 */
async function rowsOfBlock(
  source: ExtractionSource,
  extraction: Omit<Extraction, "to">,
  { number, hash }: Block,
  newest: number,
): Promise<OpenBlock> {
  const question = { ...extraction, from: number, to: number, newest };
  const { rows } = await rowsOfRange(source, question, new Pace());
  const now = await source.chain.block(number);
  if (now?.hash === hash && rows.every((row) => (row.block_hash ?? row.hash) === hash))
    return { number, hash, rows };
  throw new ReorgError(`block ${number} was replaced while it was read`);
}
