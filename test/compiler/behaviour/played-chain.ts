import type { Block, Chain, LogFilter } from "../../../src/runtime/chain/chain.js";
import { type PlayedBlock, receiptOf } from "./played-blocks.js";
import { answerOf, type ContractCall, type PlayedFunctions } from "./played-contracts.js";

/** Contract calls that were made together, at one block. */
export interface ReadBatch {
  readonly block: number;
  readonly calls: readonly ContractCall[];
}

/**
 * A chain of made-up blocks. The last one is the chain head.
 * @param onRead called for every contract call
 */
export function playedChain(
  blocks: readonly PlayedBlock[],
  functions: PlayedFunctions,
  onRead: (batch: ReadBatch) => void,
): Chain {
  const at = (number: number): PlayedBlock | undefined => blocks.find(({ block }) => block.number === number);
  const known = (number: number): PlayedBlock => {
    const found = at(number);
    if (!found) throw new Error(`there is no block ${number}`);
    return found;
  };
  const numbered = (number: number): Block | undefined => at(number)?.block;
  return {
    head: async () => blocks.at(-1)?.block ?? known(0).block,
    block: async (number) => numbered(number),
    blocks: async (numbers) => numbers.flatMap((number) => numbered(number) ?? []),
    logs: async (from, to, filter) =>
      blocks
        .filter(({ block }) => block.number >= from && block.number <= to)
        .flatMap(({ logs }) => logs.filter((log) => fits(log, filter))),
    logsOf: async ({ number }, filter) =>
      known(number).logs.filter((log) => filter === undefined || fits(log, filter)),
    calls: async ({ number }, filter) =>
      known(number).calls.filter(({ to, input }) =>
        filter.some(({ address, selectors }) => address === to && selectors.includes(input.slice(0, 10))),
      ),
    receipt: async (hash) => blocks.flatMap((block) => receiptOf(block, hash) ?? []).at(-1),
    read: async ({ number }, reads) => {
      const decoded = reads.map((read) => functions.decode(read));
      onRead({ block: number, calls: decoded.map(({ call }) => call) });
      return decoded.map((read) => answerOf(read, known(number).contracts));
    },
    balance: async () => 0n,
    code: async () => "0x",
  };
}

function fits(log: PlayedBlock["logs"][number], filter: LogFilter): boolean {
  return filter.some(
    ({ addresses, topics }) =>
      (addresses.length === 0 || addresses.includes(log.address)) &&
      (topics?.includes(log.topics[0] ?? "") ?? true),
  );
}
