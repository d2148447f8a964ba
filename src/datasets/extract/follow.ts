import { type Block, type BlockPointer, ReorgError } from "../../runtime/chain/chain.js";
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

/** All changes of a range of blocks, in order. Deletions come last block first. */
export interface ChangeBatch {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly RowChange[];
}

export interface Following {
  /** Asks for the newest block that no reorganisation replaces, given the chain head. */
  readonly finalOf: (head: BlockPointer) => Promise<BlockPointer | undefined>;
  /** Waits for new blocks; resolving to false ends the extraction. */
  readonly waitForBlocks: () => Promise<boolean>;
}

/** A block that may still be replaced, with what was made of it. */
interface Open extends BlockPointer {
  readonly rows: readonly DatasetRow[];
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
  { finalOf, waitForBlocks }: Following,
): AsyncGenerator<ChangeBatch, void, void> {
  const { chain } = source;
  let open: Open[] = [];
  let next = extraction.from;
  let floor: BlockPointer | undefined;
  do {
    const head = await chain.head();
    const final = await finalOf(head);
    if (final && (floor === undefined || final.number > floor.number)) floor = final;
    if (open.length === 0 && floor && next <= floor.number) {
      for await (const { from, to, rows } of extract(
        source,
        { ...extraction, from: next, to: floor.number },
        head.number,
      ))
        yield { from, to, changes: rows.map((row) => ({ operation: "i", row })) };
      next = floor.number + 1;
    }
    while (next <= head.number) {
      const block = await chain.block(next);
      if (!block) break;
      const last = open.at(-1);
      if (last && last.hash !== block.parentHash) {
        open.pop();
        next = last.number;
        yield deletionOf(last);
        continue;
      }
      checkFloor(block, last, floor);
      const made = await rowsOfBlock(source, extraction, block, head.number);
      if (!made) continue;
      open.push({ ...made });
      next = block.number + 1;
      yield {
        from: block.number,
        to: block.number,
        changes: made.rows.map((row) => ({ operation: "i", row })),
      };
    }
    yield* replacedAtHead(source, open, (block) => {
      next = block.number;
    });
    const reached = floor?.number ?? -1;
    // The last one stays, to compare the next block with.
    open = open.filter(({ number }, index) => number > reached || index === open.length - 1);
  } while (await waitForBlocks());
}

/** The chain may be replaced by one that is not longer. */
async function* replacedAtHead(
  { chain }: ExtractionSource,
  open: Open[],
  onDeleted: (block: Open) => void,
): AsyncGenerator<ChangeBatch, void, void> {
  for (let last = open.at(-1); last; last = open.at(-1)) {
    const now = await chain.block(last.number);
    // A node of a pool may be behind.
    if (!now || now.hash === last.hash) return;
    open.pop();
    onDeleted(last);
    yield deletionOf(last);
  }
}

function deletionOf({ number, rows }: Open): ChangeBatch {
  return {
    from: number,
    to: number,
    changes: [...rows].reverse().map((row) => ({ operation: "d", row })),
  };
}

/** @throws ReorgError */
function checkFloor(block: Block, last: Open | undefined, floor: BlockPointer | undefined): void {
  if (last || !floor || block.number !== floor.number + 1 || block.parentHash === floor.hash) return;
  throw new ReorgError(`block ${floor.number}, which the node has called final, was replaced`);
}

/** The rows of a block; `undefined` when it was replaced while it was read. */
async function rowsOfBlock(
  source: ExtractionSource,
  extraction: Omit<Extraction, "to">,
  { number, hash }: Block,
  newest: number,
): Promise<Open | undefined> {
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
