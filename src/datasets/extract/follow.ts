import { type Block, type BlockPointer, ReorgError } from "../../runtime/chain/chain.js";
import type { BlockRange } from "../../runtime/indexer/tails.js";
import type { StoredFiles, StoredStretch } from "../archive/stored-logs.js";
import type { DatasetRow } from "../tables/dataset.js";
import { extract } from "./extract.js";
import type { Extraction, ExtractionSource } from "./extraction.js";
import { Pace } from "./pace.js";
import { rowsOfRange } from "./rows-of-range.js";

/** A row that was inserted, or deleted since its block is no longer on the chain. */
export interface RowChange {
  readonly operation: "i" | "d";
  readonly row: DatasetRow;
}

/** A block that may still be replaced, with what was made of it. */
export interface OpenBlock extends BlockPointer {
  readonly rows: readonly DatasetRow[];
}

/** All changes of a range of blocks, in order. Deletions come last block first. */
export interface ChangeBatch {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly RowChange[];
  /** From where to continue after this batch, if the extraction is stopped. */
  readonly place: FollowedPlace;
  /** Where the rows of the range are, if they were not read. The changes are empty then. */
  readonly stored?: StoredBatch | undefined;
}

/** A range whose rows are in files. */
export interface StoredBatch {
  readonly files: StoredFiles;
  /** The same range with its rows, in parts. */
  read(): AsyncGenerator<ChangeBatch, void, void>;
}

/** How far an extraction has come. */
export interface FollowedPlace {
  /** The next block. */
  readonly next: number;
  /** Blocks before it that may still be replaced, in their order. */
  readonly open: readonly OpenBlock[];
}

export interface Following {
  /** Asks for the newest block that no reorganisation replaces, given the chain head. */
  readonly finalOf: (head: BlockPointer) => Promise<BlockPointer | undefined>;
  /** Waits for new blocks; resolving to false ends the extraction. */
  readonly waitForBlocks: () => Promise<boolean>;
  /** Where an earlier extraction has stopped. Its open blocks are compared with the chain first. */
  readonly place?: FollowedPlace | undefined;
  /** The last block; the extraction ends when it is final. */
  readonly last?: number | undefined;
  /** Reads only final blocks, so that nothing is deleted. */
  readonly finalOnly?: boolean | undefined;
  /** Says of the first final blocks of a range whether their rows are stored, so that they need not be read. */
  readonly stretch?: ((range: BlockRange) => Promise<StoredStretch>) | undefined;
}

/** Attempts to read a block while the chain replaces it. */
const mostAttempts = 20;

/**
 * Extracts a dataset and follows the chain head. Rows of a block that is replaced are deleted, every one by the same row that
 * was inserted. The hashes of all blocks that are not final are remembered, not only of the last one.
 * @throws ReorgError when blocks are replaced that the node has called final; else as `extract`
 */
export async function* follow(
  source: ExtractionSource,
  extraction: Omit<Extraction, "to">,
  { place, last: end = Number.POSITIVE_INFINITY, finalOnly = false, ...following }: Following,
): AsyncGenerator<ChangeBatch, void, void> {
  const { chain } = source;
  const { finalOf, waitForBlocks } = following;
  const onDeleted = ({ number }: OpenBlock): void => {
    next = number;
  };
  let open: OpenBlock[] = [...(place?.open ?? [])];
  let next = place?.next ?? extraction.from;
  let floor: BlockPointer | undefined;
  do {
    const head = await chain.head();
    const final = await finalOf(head);
    if (final && (floor === undefined || final.number > floor.number)) floor = final;
    const reachable = finalOnly ? -1 : Math.min(head.number, end);
    if (floor && isFinal(open.at(-1), floor)) {
      yield* replacedAtHead(source, open, onDeleted);
      // The others come before it on the chain.
      if (isFinal(open.at(-1), floor)) open = [];
    }
    if (open.length === 0 && floor && next <= Math.min(floor.number, end)) {
      const to = Math.min(floor.number, end);
      yield* settled(source, { ...extraction, from: next, to }, head.number, following);
      next = Math.min(floor.number, end) + 1;
    }
    while (next <= reachable) {
      const block = await chain.block(next);
      if (!block) break;
      const last = open.at(-1);
      if (last && last.hash !== block.parentHash) {
        open.pop();
        next = last.number;
        yield deletionOf(last, open);
        continue;
      }
      checkFloor(block, last, floor);
      const made = await rowsOfBlock(source, extraction, block, head.number);
      if (!made) continue;
      open.push(made);
      next = block.number + 1;
      yield {
        from: block.number,
        to: block.number,
        changes: insertionsOf(made.rows),
        place: { next, open: [...open] },
      };
    }
    yield* replacedAtHead(source, open, onDeleted);
    const reached = floor?.number ?? -1;
    // The last one stays, to compare the next block with.
    open = open.filter(({ number }, index) => number > reached || index === open.length - 1);
    if (next > end && reached >= end) return;
  } while (await waitForBlocks());
}

/** Final blocks, in stretches that are stored or are read. */
async function* settled(
  source: ExtractionSource,
  extraction: Extraction,
  newest: number,
  { stretch }: Pick<Following, "stretch">,
): AsyncGenerator<ChangeBatch, void, void> {
  let from = extraction.from;
  while (from <= extraction.to) {
    const found = await stretch?.({ from, to: extraction.to });
    const last = Math.min(found?.to ?? extraction.to, extraction.to);
    const part = { ...extraction, from, to: last };
    const read = (): AsyncGenerator<ChangeBatch, void, void> => inserted(source, part, newest);
    if (found?.files) {
      const stored = { files: found.files, read };
      yield { from, to: last, changes: [], place: { next: last + 1, open: [] }, stored };
    } else yield* read();
    from = last + 1;
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

/** Whether a block is one that no reorganisation replaces, if it is on the chain. */
function isFinal(block: OpenBlock | undefined, floor: BlockPointer): boolean {
  return block !== undefined && block.number <= floor.number;
}

/** The chain may be replaced by one that is not longer. */
async function* replacedAtHead(
  { chain }: ExtractionSource,
  open: OpenBlock[],
  onDeleted: (block: OpenBlock) => void,
): AsyncGenerator<ChangeBatch, void, void> {
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const now = await chain.block(last.number);
    // A node of a pool may be behind.
    if (!now || now.hash === last.hash) return;
    open.pop();
    onDeleted(last);
    yield deletionOf(last, open);
  }
}

function insertionsOf(rows: readonly DatasetRow[]): readonly RowChange[] {
  return rows.map((row) => ({ operation: "i", row }));
}

/** @param open the blocks before it that may still be replaced */
function deletionOf({ number, rows }: OpenBlock, open: readonly OpenBlock[]): ChangeBatch {
  return {
    from: number,
    to: number,
    changes: [...rows].reverse().map((row) => ({ operation: "d", row })),
    place: { next: number, open: [...open] },
  };
}

/** @throws ReorgError */
function checkFloor(block: Block, last: OpenBlock | undefined, floor: BlockPointer | undefined): void {
  if (last || !floor || block.number !== floor.number + 1 || block.parentHash === floor.hash) return;
  throw new ReorgError(`block ${floor.number}, which the node has called final, was replaced`);
}

/** The rows of a block; `undefined` when it was replaced while it was read. */
async function rowsOfBlock(
  source: ExtractionSource,
  extraction: Omit<Extraction, "to">,
  { number, hash }: Block,
  newest: number,
): Promise<OpenBlock | undefined> {
  for (let attempt = 1; attempt <= mostAttempts; attempt++) {
    const question = { ...extraction, from: number, to: number, newest };
    const { rows } = await rowsOfRange(source, question, new Pace());
    const isOwn = rows.every((row) => (row.block_hash ?? row.hash) === hash);
    const now = await source.chain.block(number);
    if (isOwn && now?.hash === hash) return { number, hash, rows };
    if (now?.hash !== hash) return undefined;
  }
  throw new ReorgError(`the node's answers about block ${number} are of different blocks`);
}
