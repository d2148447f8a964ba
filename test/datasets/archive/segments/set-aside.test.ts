import { describe, expect, it } from "vitest";
import { keptChains } from "../../../../src/datasets/archive/kept-chains.js";
import { carryOutPrune, planPrune } from "../../../../src/datasets/archive/prune.js";
import { openReadableChain, type ReadableChain } from "../../../../src/datasets/archive/readable-chain.js";
import { verifyChain } from "../../../../src/datasets/archive/verify/verify-chain.js";
import type { RpcClient } from "../../../../src/runtime/chain/rpc/rpc-client.js";
import {
  filter,
  hashOf,
  madeBlock,
  madeBlocks,
  madeLog,
  madeLogs,
  type Put,
  put,
} from "../../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../../support/archive/memory-files.js";
import { rawBlock } from "../../../support/chain/raw-chain.js";

/** A node of the made chain. */
const node: RpcClient = {
  request: async (method, [tag]) => {
    if (method === "eth_chainId") return "0x1";
    const number = tag === "latest" ? 1_200 : Number(tag);
    const hash = (of: number): string => hashOf(`block ${of}`);
    return { ...rawBlock(number), hash: hash(number), parentHash: hash(number - 1) };
  },
};

const unwanted = (): void => undefined;

/** An archive that was filled, opened to be read. */
async function opened(...all: readonly Put[]): Promise<{
  readonly files: MemoryArchiveFiles;
  readonly chain: NonNullable<ReadableChain["archived"]>;
  readonly said: readonly string[];
}> {
  const files = new MemoryArchiveFiles();
  await put(files, ...all);
  const said: string[] = [];
  const notes = { onDamage: (why: string) => void said.push(why), onTrouble: unwanted, onRefused: unwanted };
  const { archived: chain } = await openReadableChain({
    network: "mainnet",
    node,
    files,
    to: undefined,
    ...notes,
  });
  if (!chain) throw new Error("there is no archive");
  return { files, chain, said };
}

const foreign = { hash: hashOf("another block 5") };
const logs = (from: number, to: number): Put => ({ claim: { from, to }, logs: madeLogs(from, to) });
/** Logs of which those of block 6 are of another branch. */
const mixed: Put = {
  claim: { from: 1, to: 9 },
  logs: [madeLog(3), madeLog(6, { block: { number: 6, hash: hashOf("another block 6") } }), madeLog(9)],
};

/** Names of files that are set aside. */
const asideOf = (files: MemoryArchiveFiles): readonly string[] =>
  [...files.content.keys()].filter((path) => path.startsWith("1/aside/"));

describe("a segment that contradicts the final chain", () => {
  it.each<[string, Put]>([
    ["two blocks of one number", { blocks: [...madeBlocks(1, 5), madeBlock(5, foreign), madeBlock(6)] }],
    [
      "a block that does not follow the one before it",
      { blocks: [...madeBlocks(1, 4), madeBlock(5, foreign), madeBlock(6)] },
    ],
  ])("INV-D3: is set aside if it has %s, and the node is asked", async (_, blocks) => {
    const { files, chain, said } = await opened(blocks, logs(1, 9));
    const read = await chain.blocks([4, 5, 6]);
    expect(read.map((block) => block?.hash)).toEqual([4, 5, 6].map((number) => hashOf(`block ${number}`)));
    await chain.block(5);
    expect(said).toEqual([expect.stringMatching(/^blocks\/1-6-.*Its files were moved to 1\/aside/)]);
    expect(asideOf(files)).toHaveLength(2);
    const [kept] = (await keptChains(files)) ?? [];
    if (!kept) throw new Error("there is no chain");
    const { faults, notes } = await verifyChain(files, kept);
    expect(faults).toEqual([]);
    expect(notes).toEqual([
      {
        file: expect.stringMatching(/^1\/aside\/blocks-1-6-/),
        why: expect.stringContaining("it was set aside"),
      },
    ]);
    await carryOutPrune(files, await planPrune(files, kept, { damaged: true }, 0));
    expect(asideOf(files)).toEqual([]);
    const [left] = (await keptChains(files)) ?? [];
    expect(left?.manifest.aside).toEqual([]);
    expect(left?.manifest.segments).toHaveLength(1);
  });

  it("is set aside if another segment has a different block at a number, and the node confirms that block", async () => {
    const { files, chain, said } = await opened(
      { blocks: [madeBlock(5, foreign)] },
      { blocks: madeBlocks(6, 9) },
    );
    const read = await chain.blocks([5, 6]);
    expect(read[0]?.hash).toBe(hashOf("block 5"));
    expect(said).toEqual([expect.stringContaining(`block 5 is ${foreign.hash}, but the final chain has`)]);
    expect(asideOf(files)).toHaveLength(2);
  });

  it("is set aside if its logs belong to a different block than the archive's", async () => {
    const { files, chain, said } = await opened({ blocks: madeBlocks(1, 9) }, mixed);
    expect(await chain.knownLogs({ from: 1, to: 9 }, filter, "bloom")).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(/^logs\/1-9-/)]);
    expect(asideOf(files).length).toBeGreaterThan(0);
    expect(await chain.block(6)).toMatchObject({ hash: hashOf("block 6") });
  });

  it("is set aside if a reader refused its data and the node agrees with the reader", async () => {
    const { chain, said } = await opened(mixed);
    const range = { from: 1, to: 9 };
    expect(await chain.knownLogs(range, filter, "bloom")).toHaveLength(3);
    chain.forget();
    expect(await chain.knownLogs(range, filter, "bloom")).toBeUndefined();
    expect(said).toEqual([expect.stringMatching(/^logs\/1-9-/)]);
  });

  it("stays if a reader refused its data and the node agrees with the segment", async () => {
    const { chain, said } = await opened(logs(1, 9));
    const range = { from: 1, to: 9 };
    expect(await chain.knownLogs(range, filter, "bloom")).toHaveLength(3);
    chain.forget();
    expect(await chain.knownLogs(range, filter, "bloom")).toHaveLength(3);
    expect(said).toEqual([]);
  });
});
