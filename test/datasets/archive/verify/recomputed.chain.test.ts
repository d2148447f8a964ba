import { beforeAll, describe, expect, it } from "vitest";
import { answerText, readAnswer } from "../../../../src/datasets/archive/json-answer.js";
import { keptChains } from "../../../../src/datasets/archive/kept-chains.js";
import type { Segment } from "../../../../src/datasets/archive/segments/manifest.js";
import type { SegmentContent } from "../../../../src/datasets/archive/segments/segments.js";
import { type ChainVerification, verifyChain } from "../../../../src/datasets/archive/verify/verify-chain.js";
import type { Block, Log, Receipt, Transaction } from "../../../../src/runtime/chain/chain.js";
import { busyChain, runArchived } from "../../../support/archive/archived-run.js";
import { MemoryArchiveFiles } from "../../../support/archive/memory-files.js";
import { rewriteSegments } from "../../../support/archive/rewrite-segment.js";
import { useAnvil } from "../../../support/chain/anvil.js";

const anvil = useAnvil(["--chain-id", "1"]);
/** What runs have read of a chain, with all receipts; and without. */
let whole: MemoryArchiveFiles;
let bare: MemoryArchiveFiles;

beforeAll(async () => {
  const { built, last } = await busyChain(anvil());
  [whole, bare] = [new MemoryArchiveFiles(), new MemoryArchiveFiles()];
  await runArchived(anvil(), whole, built, { to: last, verify: "receipts" });
  await runArchived(anvil(), bare, built, { to: last });
});

async function verified(files: MemoryArchiveFiles): Promise<ChainVerification> {
  const [chain] = (await keptChains(files)) ?? [];
  if (!chain) throw new Error("it has no chain");
  return verifyChain(files, chain);
}

type Content<K extends SegmentContent["kind"]> = SegmentContent & { readonly kind: K };

/** Changes the first block that has several transactions. */
function changeBlock(change: (block: Block) => Block) {
  return ({ kind, blocks }: Content<"blocks">): Content<"blocks"> => {
    const index = blocks.findIndex(({ transactions }) => transactions.size > 1);
    return { kind, blocks: blocks.map((block, at) => (at === index ? change(block) : block)) };
  };
}

function changeTransactions(change: (all: readonly Transaction[]) => readonly Transaction[]) {
  return changeBlock((block) => {
    const changed = change([...block.transactions.values()]);
    return { ...block, transactions: new Map(changed.map((one) => [one.hash, one])) };
  });
}

function changeLogs(change: (logs: readonly Log[]) => readonly Log[]) {
  return ({ kind, logs, claims }: Content<"logs">): Content<"logs"> => ({ kind, claims, logs: change(logs) });
}

function changeReceipt(change: (receipt: Receipt) => Receipt) {
  return ({ kind, answers }: Content<"answers">): Content<"answers"> => {
    const index = answers.findIndex(({ question }) => question.startsWith("receipts "));
    const changed = answers.map((one, at) => {
      if (at !== index) return one;
      const [first, ...rest] = readAnswer(one.answer) as readonly [Receipt, ...Receipt[]];
      return { ...one, answer: answerText([change(first), ...rest]) };
    });
    return { kind, answers: changed };
  };
}

const last = <T>(list: readonly T[]): T => {
  const one = list.at(-1);
  if (one === undefined) throw new Error("there is none");
  return one;
};

describe("verifyChain", () => {
  it("recomputes all of a real chain's blocks, receipts and logs", async () => {
    const { faults, recomputed, notRecomputed } = await verified(whole);
    expect(faults).toEqual([]);
    expect(new Set(notRecomputed.map(({ what }) => what))).toEqual(new Set(["answer"]));
    const [chain] = (await keptChains(whole)) ?? [];
    const rows = (kind: string): number =>
      chain?.manifest.segments.reduce((sum, one) => sum + (one.kind === kind ? one.rows : 0), 0) ?? 0;
    expect(Object.fromEntries(recomputed.map(({ what, count }) => [what, count]))).toEqual({
      "block hash": rows("blocks"),
      "transactions root": rows("blocks"),
      "receipts root": expect.any(Number),
      log: rows("logs"),
    });
    expect(rows("logs")).toBeGreaterThan(10);
  });

  it("says which logs it could check only against bloom filters", async () => {
    const { faults, notRecomputed } = await verified(bare);
    expect(faults).toEqual([]);
    expect(notRecomputed).toContainEqual({
      what: "log",
      why: "held against bloom filters alone, which do not cover data",
      count: expect.any(Number),
    });
  });

  const cases: readonly [
    string,
    (files: MemoryArchiveFiles) => Promise<readonly Segment[]>,
    file: number,
    RegExp,
  ][] = [
    [
      "a header field that was changed",
      (files) =>
        rewriteSegments(
          files,
          "blocks",
          changeBlock((one) => ({ ...one, gasUsed: one.gasUsed + 1n })),
        ),
      0,
      /^block \d+ has the hash 0x[0-9a-f]{64}, but its header makes 0x[0-9a-f]{64}$/,
    ],
    [
      "a transaction that was left out",
      (files) =>
        rewriteSegments(
          files,
          "blocks",
          changeTransactions((all) => all.slice(0, -1)),
        ),
      1,
      /^block \d+ has the transactions root 0x.*, but its transaction makes 0x[0-9a-f]{64}$/,
    ],
    [
      "a transaction that was changed",
      (files) =>
        rewriteSegments(
          files,
          "blocks",
          changeTransactions(([one, ...rest]) => [{ ...one, value: 7n } as Transaction, ...rest]),
        ),
      1,
      /^transaction 0 of block \d+ has the hash 0x.*, but its fields make 0x[0-9a-f]{64}$/,
    ],
    [
      "a transaction's hash that was changed",
      (files) =>
        rewriteSegments(
          files,
          "blocks",
          changeTransactions(([one, ...rest]) => [
            { ...one, hash: `0x${"ab".repeat(32)}` } as Transaction,
            ...rest,
          ]),
        ),
      1,
      /^transaction 0 of block \d+ has the hash 0xabab.*, but its fields make 0x[0-9a-f]{64}$/,
    ],
    [
      "the data of a log that was changed",
      (files) =>
        rewriteSegments(
          files,
          "logs",
          changeLogs((all) => [...all.slice(0, -1), { ...last(all), data: "0x1234" }]),
        ),
      0,
      /^log \d+ of block \d+ has the data 0x1234, but the receipts of the block have 0x[0-9a-f]*…?, in answers\/\d+-\d+-/,
    ],
    [
      "a log that was left out",
      (files) =>
        rewriteSegments(
          files,
          "logs",
          changeLogs((all) => all.slice(0, -1)),
        ),
      0,
      /^log \d+ of block \d+ is left out, but the receipts of the block have it, in answers\/\d+-\d+-/,
    ],
    [
      "a receipt that was changed",
      (files) =>
        rewriteSegments(
          files,
          "answers",
          changeReceipt((one) => ({ ...one, cumulativeGasUsed: 1n })),
        ),
      0,
      /^the receipts of block \d+ make the root 0x.*, but its header has 0x.*, in blocks\/\d+-\d+-/,
    ],
  ];

  it.each(cases)("finds %s, in a segment with a valid checksum", async (_, change, file, why) => {
    const files = whole.copy();
    const [rewritten] = await change(files);
    const { faults, refused } = await verified(files);
    expect(faults).toContainEqual({
      file: `1/${rewritten?.files[file]?.path}`,
      why: expect.stringMatching(why),
    });
    expect(refused.map(({ files: [first] }) => first?.path)).toContain(rewritten?.files[0]?.path);
  });

  it("finds a transaction that was left out of an archive without receipts", async () => {
    const files = bare.copy();
    await rewriteSegments(
      files,
      "blocks",
      changeTransactions((all) => all.slice(1)),
    );
    expect((await verified(files)).faults).toEqual([
      {
        file: expect.stringMatching(/^1\/transactions\//),
        why: expect.stringContaining("the transactions root"),
      },
    ]);
  });

  it("counts the segments of an earlier version, and finds no fault in them", async () => {
    const files = bare.copy();
    const early = ({ kind, blocks }: Content<"blocks">): Content<"blocks"> => ({
      kind,
      blocks: blocks.map(({ mixHash: _, ...block }) => ({
        ...block,
        transactions: new Map(
          [...block.transactions].map(([hash, { signature: _, ...transaction }]) => [hash, transaction]),
        ),
      })),
    });
    await rewriteSegments(files, "blocks", early);
    const { faults, recomputed, notRecomputed } = await verified(files);
    expect(faults).toEqual([]);
    expect(recomputed.map(({ what }) => what)).not.toContain("block hash");
    expect(notRecomputed.map(({ what, why }) => `${what}: ${why}`)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^block hash: headers without all fields/),
        expect.stringMatching(/^transactions root: transactions without a signature/),
      ]),
    );
  });
});
