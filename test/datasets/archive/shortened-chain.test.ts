import { expect, it } from "vitest";
import { ArchivedChain } from "../../../src/datasets/archive/archived-chain.js";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import type { BlockPointer, Chain } from "../../../src/runtime/chain/chain.js";
import { hashOf } from "../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";

const never = async (): Promise<never> => {
  throw new Error("the node is not asked");
};

it("the head of a range that is final is a final block, since a reorganisation may have shortened the chain beyond it", async () => {
  const archive = await ChainArchive.open({ files: new MemoryArchiveFiles(), folder: "1", chainId: "1" });
  const at = (number: number): BlockPointer => ({ number, hash: hashOf(`block ${number}`) });
  await archive.mark({ head: at(44), final: at(40) });
  const node: Chain = {
    ...{ head: never, block: never, blocks: never, logs: never, logsOf: never, calls: never },
    ...{ receipt: never, read: never, balance: never, code: never },
  };
  const chain = new ArchivedChain(node, archive, { finalOf: never, to: 38 });
  expect((await chain.head()).number).toBe(40);
});
