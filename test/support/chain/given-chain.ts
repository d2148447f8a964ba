import type { Block, BlockPointer, Chain, Log } from "../../../src/runtime/chain/chain.js";
import type { GivenBlock } from "../../../src/runtime/run-blocks.js";

/** A chain that has only the given blocks, which follow each other. @param blocks the last one is the head */
export function givenChain(blocks: readonly GivenBlock[]): Chain {
  const byNumber = new Map(blocks.map((given) => [given.block.number, given]));
  const head = blocks.at(-1)?.block;
  if (!head) throw new Error("a chain has a head");
  const block = async (number: number): Promise<Block | undefined> => byNumber.get(number)?.block;
  return {
    head: async () => head,
    block,
    blocks: (numbers) => Promise.all(numbers.map(block)),
    logs: async (from, to) => blocks.filter(isWithin(from, to)).flatMap(({ logs }): readonly Log[] => logs),
    logsOf: async ({ number }: BlockPointer) => byNumber.get(number)?.logs ?? [],
    calls: unused,
    receipt: unused,
    read: unused,
    balance: unused,
    code: unused,
  };
}

function isWithin(from: number, to: number) {
  return ({ block }: GivenBlock): boolean => block.number >= from && block.number <= to;
}

async function unused(): Promise<never> {
  throw new Error("the chain has only blocks and logs");
}
