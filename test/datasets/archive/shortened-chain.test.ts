import { expect, it } from "vitest";
import { ArchivedChain } from "../../../src/datasets/archive/archived-chain.js";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import type { BlockPointer, Chain } from "../../../src/runtime/chain/chain.js";
import { Patience } from "../../../src/runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../../src/runtime/chain/rpc/patient-chain.js";
import { BlockLinks } from "../../../src/runtime/indexer/block-links.js";
import { Verification } from "../../../src/runtime/indexer/logs/verification.js";
import { hashOf, madeBlock } from "../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";

const never = async (): Promise<never> => {
  throw new Error("this is not asked for");
};

it("the last final block of a range is proved even if the chain has become shorter", async () => {
  const archive = await ChainArchive.open({ files: new MemoryArchiveFiles(), folder: "1", chainId: "1" });
  const at = (number: number): BlockPointer => ({ number, hash: hashOf(`block ${number}`) });
  await archive.mark({ head: at(44), final: at(42) });
  const node: Chain = {
    head: never,
    block: never,
    logs: never,
    logsOf: never,
    calls: never,
    receipt: never,
    read: never,
    balance: never,
    code: never,
    blocks: async (numbers) => {
      if (numbers.some((number) => number > 42)) throw new Error("the chain has no such block yet");
      return numbers.map((number) => madeBlock(number));
    },
  };
  const archived = new ArchivedChain(node, archive, { finalOf: never, to: 42 });
  const { number: newest } = await archived.head();
  const patience = new Patience({ limit: 0, pause: async () => undefined, chance: () => 0.5 });
  const chain = createPatientChain(archived, patience);
  const proof = (): BlockLinks =>
    new BlockLinks({
      chain,
      newest,
      settledTo: newest - 10,
      archive: archived,
      verification: new Verification("off"),
    });
  for (const number of [38, 42]) {
    const links = proof();
    links.add([madeBlock(number)]);
    expect(await links.end()).toEqual([madeBlock(number)]);
  }
  expect(await archived.has({ number: 42, hash: hashOf("another") })).toBe(false);
  expect(await archived.has(at(43))).toBe(false);
});
