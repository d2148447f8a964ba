import { present } from "../../../base/invariant.js";
import {
  type Block,
  type BlockPointer,
  type Chain,
  ChainError,
  type ContractAnswer,
  type ContractRead,
  MissingStateError,
  NonsenseError,
  ReorgError,
} from "../chain.js";
import type { Patience } from "./patience.js";

/** A chain that retries inconsistent answers. */
export interface PatientChain extends Chain {
  /**
   * The blocks with these numbers, all of which must be on the chain, in the given order. Numbers without a block are left
   * out, as in a null round of Filecoin.
   * @throws ReorgError
   */
  blocks(numbers: readonly number[]): Promise<readonly Block[]>;
}

/**
 * Attempts per request, since a different node of a pool may answer the next one. After the last attempt, the caller
 * checks the chain for a reorg. A state that is still missing then, or an answer that is still invalid, is final.
 */
const mostAttempts = 5;

/** Wraps a chain so that it retries unknown data a few times, including blocks that it does not have yet. */
export function createPatientChain(chain: Chain, patience: Patience): PatientChain {
  const again = <T>(ask: () => Promise<T>): Promise<T> => askAgain(ask, patience);
  return {
    head: () => again(() => chain.head()),
    block: (number) => again(() => chain.block(number)),
    blocks: (numbers) => everyBlock(chain, numbers, patience),
    ...(chain.wholeBlock && {
      wholeBlock: (block: Block) =>
        again(() => present(chain.wholeBlock?.(block), "the chain no longer completes blocks")),
    }),
    logs: (from, to, filter, cut) => again(() => chain.logs(from, to, filter, cut)),
    logsOf: (block, filter) => again(() => chain.logsOf(block, filter)),
    calls: (block, filter) => again(() => chain.calls(block, filter)),
    ...(chain.traces && {
      traces: (block: Block) => again(() => present(chain.traces?.(block), "the chain has lost its traces")),
    }),
    receipt: (transaction) => again(() => receiptOf(chain, transaction)),
    receipts: (block) => again(async () => chain.receipts?.(block)),
    rawReceipts: (block) => again(async () => chain.rawReceipts?.(block)),
    read: (block, reads) => readAll(chain, block, reads, patience),
    balance: (block, address) => again(() => chain.balance(block, address)),
    code: (block, address) => again(() => chain.code(block, address)),
  };
}

async function askAgain<T>(ask: () => Promise<T>, patience: Patience): Promise<T> {
  let disagreement: ReorgError | undefined;
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!mayPass(error)) throw error;
      if (error instanceof ReorgError && !(error instanceof MissingStateError)) disagreement = error;
      if (attempt === mostAttempts) throw disagreement ?? lasting(error);
      await patience.wait(error);
    }
  }
}

/** Whether a different node of a pool may give a good answer. */
export function mayPass(error: unknown): error is ReorgError | NonsenseError {
  return error instanceof ReorgError || error instanceof NonsenseError;
}

function lasting(error: ReorgError | NonsenseError): Error {
  return error instanceof MissingStateError ? new ChainError(error.message) : error;
}

/** Requests all blocks at once, then the missing ones one by one, so that one does not fail the others. */
async function everyBlock(
  chain: Chain,
  numbers: readonly number[],
  patience: Patience,
): Promise<readonly Block[]> {
  const found = new Map<number, Block | null>();
  const find = async (open: readonly number[]): Promise<void> => {
    for (const [index, block] of (await chain.blocks(open)).entries()) {
      const number = open[index];
      if (number !== undefined && (block === null || block?.number === number)) found.set(number, block);
    }
    const missing = open.find((number) => !found.has(number));
    if (missing !== undefined) throw new ReorgError(`the node does not know block ${missing}`);
  };
  try {
    await find(numbers);
  } catch (error) {
    if (!mayPass(error)) throw error;
    await patience.wait(error);
    const open = numbers.filter((number) => !found.has(number));
    await Promise.all(open.map((number) => askAgain(() => find([number]), patience)));
  }
  return numbers.flatMap((number) => found.get(number) ?? []);
}

async function receiptOf(chain: Chain, transaction: string): Promise<Awaited<ReturnType<Chain["receipt"]>>> {
  const receipt = await chain.receipt(transaction);
  if (!receipt) throw new ReorgError(`the node does not know the receipt of transaction ${transaction}`);
  return receipt;
}

/** Makes all reads at once; after a failure one by one, so that one does not fail the others. */
async function readAll(
  chain: Chain,
  block: BlockPointer,
  reads: readonly ContractRead[],
  patience: Patience,
): Promise<readonly ContractAnswer[]> {
  try {
    return await chain.read(block, reads);
  } catch (error) {
    if (!mayPass(error)) throw error;
    await patience.wait(error);
  }
  const each = reads.map((read) => askAgain(() => chain.read(block, [read]), patience));
  return (await Promise.all(each)).flat();
}
