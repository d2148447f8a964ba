import {
  type Block,
  type BlockPointer,
  type Chain,
  ChainError,
  type ContractAnswer,
  type ContractRead,
  MissingStateError,
  ReorgError,
} from "./chain.js";
import type { Patience } from "./patience.js";

/** A chain that retries inconsistent answers. */
export interface PatientChain extends Chain {
  /** The blocks of numbers that are on the chain, without gaps. @throws ReorgError */
  blocks(numbers: readonly number[]): Promise<readonly Block[]>;
}

/**
 * Attempts per question: another node of a pool may answer the next one. After the last, the caller checks
 * the chain for a reorg; a state that is missing then stays so.
 */
const mostAttempts = 5;

/** Wraps a chain to retry a few times what it did not know, including blocks that it does not have yet. */
export function createPatientChain(chain: Chain, patience: Patience): PatientChain {
  const again = <T>(ask: () => Promise<T>): Promise<T> => askAgain(ask, patience);
  return {
    head: () => again(() => chain.head()),
    block: (number) => again(() => chain.block(number)),
    blocks: (numbers) => everyBlock(chain, numbers, patience),
    logs: (from, to, filter) => again(() => chain.logs(from, to, filter)),
    logsOf: (block, filter) => again(() => chain.logsOf(block, filter)),
    calls: (block, filter) => again(() => chain.calls(block, filter)),
    receipt: (transaction) => again(() => receiptOf(chain, transaction)),
    read: (block, reads) => readAll(chain, block, reads, patience),
    balance: (block, address) => again(() => chain.balance(block, address)),
    code: (block, address) => again(() => chain.code(block, address)),
  };
}

async function askAgain<T>(ask: () => Promise<T>, patience: Patience): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ReorgError)) throw error;
      if (attempt === mostAttempts) throw lasting(error);
      await patience.wait(error);
    }
  }
}

function lasting(error: ReorgError): Error {
  return error instanceof MissingStateError ? new ChainError(error.message) : error;
}

async function everyBlock(
  chain: Chain,
  numbers: readonly number[],
  patience: Patience,
): Promise<readonly Block[]> {
  const found = new Map<number, Block>();
  await askAgain(async () => {
    const open = numbers.filter((number) => !found.has(number));
    for (const block of await chain.blocks(open)) if (block) found.set(block.number, block);
    const missing = numbers.find((number) => !found.has(number));
    if (missing !== undefined) throw new ReorgError(`the node does not know block ${missing}`);
  }, patience);
  return numbers.flatMap((number) => found.get(number) ?? []);
}

async function receiptOf(chain: Chain, transaction: string): Promise<Awaited<ReturnType<Chain["receipt"]>>> {
  const receipt = await chain.receipt(transaction);
  if (!receipt) throw new ReorgError(`the node does not know the receipt of transaction ${transaction}`);
  return receipt;
}

/** Reads all at once; after a failure one by one, so that one does not fail the others. */
async function readAll(
  chain: Chain,
  block: BlockPointer,
  reads: readonly ContractRead[],
  patience: Patience,
): Promise<readonly ContractAnswer[]> {
  try {
    return await chain.read(block, reads);
  } catch (error) {
    if (!(error instanceof ReorgError)) throw error;
    await patience.wait(error);
  }
  const each = reads.map((read) => askAgain(() => chain.read(block, [read]), patience));
  return (await Promise.all(each)).flat();
}
