import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import { logColumns } from "../../../src/datasets/archive/logs-table.js";
import { type ChainVerification, verifyChain } from "../../../src/datasets/archive/verify/verify-chain.js";
import { readParquet } from "../../../src/datasets/parquet/read-parquet.js";
import { writeParquet } from "../../../src/datasets/parquet/write-parquet.js";
import {
  address,
  hashOf,
  madeBlock,
  madeBlocks,
  madeLog,
  madeLogs,
  otherAddress,
  type Put,
  put,
  topic,
} from "../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";

async function verified(files: MemoryArchiveFiles): Promise<ChainVerification> {
  const [chain] = (await keptChains(files)) ?? [];
  if (!chain) throw new Error("it has no chain");
  return verifyChain(files, chain);
}

async function archiveOf(...all: readonly Put[]): Promise<MemoryArchiveFiles> {
  const files = new MemoryArchiveFiles();
  await put(files, ...all);
  return files;
}

const whole: readonly Put[] = [
  { blocks: madeBlocks(1, 9) },
  { blocks: madeBlocks(10, 19) },
  { blocks: madeBlocks(5, 12) },
  { blocks: [madeBlock(999), madeBlock(1_000)] },
  { logs: madeLogs(0, 50), claim: { from: 0, to: 50 } },
  { answers: [{ number: 3 }, { number: 600 }] },
];

const strange = hashOf("strange");

describe("verifyChain", () => {
  it("finds no fault with a whole archive", async () => {
    const { faults, notes, refused, segments, files } = await verified(await archiveOf(...whole));
    expect({ faults, notes, refused }).toEqual({ faults: [], notes: [], refused: [] });
    expect({ segments, files }).toEqual({ segments: 6, files: 11 });
  });

  it.each<[string, readonly Put[], RegExp]>([
    [
      "a block whose parent is another one, in one segment",
      [{ blocks: [madeBlock(1), madeBlock(2, { parentHash: strange })] }],
      /^1\/blocks\/1-2-.*: block 2 has the parent 0x.*, but block 1 is 0x[0-9a-f]{64}$/,
    ],
    [
      "a block whose parent is another one, in two segments",
      [{ blocks: [madeBlock(1)] }, { blocks: [madeBlock(2, { parentHash: strange })] }],
      /^1\/blocks\/2-2-.*: block 2 has the parent 0x.*, but block 1 is 0x.*, in blocks\/1-1-/,
    ],
    [
      "a block that is not the parent of the one after it, which came first",
      [{ blocks: [madeBlock(1), madeBlock(3)] }, { blocks: [madeBlock(2, { hash: strange })] }],
      /^1\/blocks\/2-2-.*: block 2 is 0x.*, but the parent of the next is 0x.*, in blocks\/1-3-/,
    ],
    [
      "one block with two hashes",
      [{ blocks: madeBlocks(1, 3) }, { blocks: [madeBlock(3, { hash: strange })] }],
      /^1\/blocks\/3-3-.*: block 3 has the hash 0x.*, and also 0x.*, in blocks\/1-3-/,
    ],
    [
      "logs of another block",
      [
        { blocks: madeBlocks(1, 9) },
        { logs: [madeLog(6, { block: { number: 6, hash: strange } })], claim: { from: 1, to: 9 } },
      ],
      /^1\/logs\/1-9-.*: log 0 of block 6 is of the hash 0x.*, but the block is 0x.*, in blocks\/1-9-/,
    ],
    [
      "logs of one block with two hashes",
      [
        {
          logs: [madeLog(6), madeLog(6, { logIndex: 1, block: { number: 6, hash: strange } })],
          claim: { from: 1, to: 9 },
        },
      ],
      /^1\/logs\/1-9-.*: logs of block 6 are of the hashes 0x.* and 0x/,
    ],
    [
      "a log that its block's bloom filter does not admit",
      [
        { blocks: madeBlocks(1, 9) },
        { logs: [madeLog(6, { topics: [topic, strange] })], claim: { from: 1, to: 9 } },
      ],
      /^1\/logs\/1-9-.*: log 0 of block 6 is not admitted by the bloom filter of its block, in blocks\/1-9-/,
    ],
    [
      "a log outside of the claimed range",
      [{ logs: [madeLog(12)], claim: { from: 1, to: 9 } }],
      /^1\/logs\/1-9-.*: log 0 of block 12 is of no range, address and topic that the segment claims$/,
    ],
    [
      "a log of an address that is not claimed",
      [{ logs: [madeLog(6, { address: otherAddress })], claim: { from: 1, to: 9 } }],
      /: log 0 of block 6 is of no range/,
    ],
    [
      "a log with a topic that is not claimed",
      [{ logs: [madeLog(6, { topics: [strange] })], claim: { from: 1, to: 9 } }],
      /: log 0 of block 6 is of no range/,
    ],
    [
      "an answer of another block",
      [{ blocks: madeBlocks(1, 9) }, { answers: [{ number: 3, hash: strange }] }],
      /^1\/answers\/3-3-.*: the answer to "read 0x.* is of block 3 with the hash 0x.*, but the block is 0x.*, in blocks\/1-9-/,
    ],
    [
      "an answer to a question about another block",
      [{ answers: [{ number: 3, question: `traces ${strange}` }] }],
      /^1\/answers\/3-3-.*: the answer to "traces 0x.*" is of block 3 with the hash 0x/,
    ],
    [
      "an answer that cannot be read",
      [{ answers: [{ number: 3, answer: "{" }] }],
      /^1\/answers\/3-3-.*: the answer to "read 0x.*" cannot be read$/,
    ],
    [
      "what is not final",
      [{ blocks: [madeBlock(1_001)] }],
      /^1\/blocks\/1001-1001-.*: it goes to block 1001, but the newest final block is 1000$/,
    ],
    [
      "a final block that is another one",
      [{ blocks: [madeBlock(1_000, { hash: strange })] }],
      /^1\/manifest\.jsonl: the newest final block 1000 has the hash 0x.*, but the block is 0x.*, in blocks\/1000-1000-/,
    ],
  ])("names %s", async (_, puts, why) => {
    const { faults, refused } = await verified(await archiveOf(...puts));
    expect(faults.map(({ file, why }) => `${file}: ${why}`)).toEqual([expect.stringMatching(why)]);
    expect(refused.length).toBe(puts.length);
  });

  it("accepts logs with any topic or none in a claim for any topic, but not of another address", async () => {
    const logs = [madeLog(3), madeLog(6, { topics: [strange] }), madeLog(9, { topics: [] })];
    const claim = { from: 1, to: 9, filter: [{ addresses: [address], topics: undefined }] };
    const { faults } = await verified(await archiveOf({ logs, claim }));
    expect(faults).toEqual([]);
    const other = [...logs, madeLog(9, { logIndex: 1, address: otherAddress })];
    const { faults: found } = await verified(await archiveOf({ logs: other, claim }));
    expect(found.map(({ why }) => why)).toEqual([
      "log 1 of block 9 is of no range, address and topic that the segment claims",
    ]);
  });

  it("reports many faults of one kind once", async () => {
    const logs = [3, 6, 9].map((number) => madeLog(number, { topics: [topic, strange] }));
    const files = await archiveOf({ blocks: madeBlocks(1, 9) }, { logs, claim: { from: 1, to: 9 } });
    const { faults } = await verified(files);
    expect(faults).toEqual([
      expect.objectContaining({ why: expect.stringContaining("(and 2 more like it)") }),
    ]);
  });

  it("names logs out of order, which an archive may contain although a run cannot write them", async () => {
    const claim = { from: 1, to: 9, filter: [{ addresses: [address], topics: [topic] }] };
    const files = await archiveOf({ logs: [madeLog(3), madeLog(6)], claim });
    const path = [...files.content.keys()].find((key) => key.startsWith("1/logs/")) ?? "";
    const rows = await readParquet(files.content.get(path) ?? new Uint8Array(), logColumns);
    const reversed = Object.fromEntries(
      Object.entries(rows).map(([name, values]) => [name, [...values].reverse()]),
    );
    const about = { "graphloom.chain": "1", "graphloom.table": "logs" };
    replaceListed(files, path, writeParquet(logColumns, reversed, about));
    const { faults } = await verified(files);
    expect(faults.map(({ why }) => why)).toEqual(["log 0 of block 3 is not in its order"]);
  });

  it.each<[string, string, (bytes: Uint8Array) => Uint8Array | undefined]>([
    [
      "a flipped bit",
      "checksum",
      (bytes) => bytes.with(bytes.length >> 1, (bytes.at(bytes.length >> 1) ?? 0) ^ 1),
    ],
    ["a missing end", "bytes instead of", (bytes) => bytes.slice(0, -1)],
    ["no content at all", "missing", () => undefined],
  ])("names every file with %s", async (_, why, damage) => {
    const files = await archiveOf(...whole);
    const paths = [...files.content.keys()].filter((path) => path.endsWith(".parquet"));
    for (const path of paths) {
      const damaged = damage(files.content.get(path) ?? new Uint8Array());
      if (damaged) files.content.set(path, damaged);
      else files.content.delete(path);
    }
    const { faults, refused } = await verified(files);
    expect(faults.map(({ file }) => file).sort()).toEqual(paths.sort());
    for (const fault of faults) expect(fault.why).toContain(why);
    expect(refused.length).toBe(6);
  });

  it.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
    ["that are not Parquet", () => Buffer.from("PAR1 is what it begins with"), "belongs to chain unknown"],
    ["of nothing", () => new Uint8Array(), "belongs to chain unknown"],
  ])("names listed files %s", async (_, change, why) => {
    const files = await archiveOf({ blocks: madeBlocks(1, 3) });
    const path = [...files.content.keys()].find((key) => key.startsWith("1/blocks/")) ?? "";
    replaceListed(files, path, change(files.content.get(path) ?? new Uint8Array()));
    const { faults } = await verified(files);
    expect(faults).toEqual([{ file: path, why: expect.stringContaining(why) }]);
  });

  it("reports a manifest that contradicts its segments", async () => {
    const files = await archiveOf({ blocks: madeBlocks(1, 3) });
    const text = Buffer.from(files.content.get("1/manifest.jsonl") ?? []).toString();
    files.content.set("1/manifest.jsonl", Buffer.from(text.replace('"to":3', '"to":4')));
    const { faults } = await verified(files);
    expect(faults.map(({ why }) => why)).toEqual([
      expect.stringMatching(
        /^the manifest says that it has 3 rows of blocks 1 to 4, .*; it has 3 rows of blocks 1 to 3, /,
      ),
    ]);
  });

  it("counts unlisted files and torn lines as leftovers, not as faults", async () => {
    const files = await archiveOf({ blocks: madeBlocks(1, 3) });
    await files.write("1/blocks/1-2-0123456789abcdef.parquet", Buffer.from("x"));
    await files.write("1/logs/1-2-0123456789abcdef.parquet.0123456789ab.tmp", Buffer.from("x"));
    await files.write("1/logs/readme.txt", Buffer.from("x"));
    await files.append("1/manifest.jsonl", '\n{"segment":{"kind":"blo');
    const { faults, notes } = await verified(files);
    expect(faults).toEqual([]);
    expect(notes.map(({ file, why }) => `${file}: ${why}`)).toEqual([
      "1/manifest.jsonl: 1 line cannot be read, as after a crash; what they told of is fetched again",
      expect.stringMatching(/^1\/blocks\/1-2-0123456789abcdef\.parquet: .* a crash has left it$/),
      expect.stringMatching(/^1\/logs\/1-2-.*\.tmp: .* a crash has left it$/),
      "1/logs/readme.txt: it is not a file of the archive",
    ]);
  });
});

/** Replaces a file, and what the manifest says of its size and checksum. */
function replaceListed(files: MemoryArchiveFiles, path: string, bytes: Uint8Array): void {
  const old = files.content.get(path) ?? new Uint8Array();
  const manifest = Buffer.from(files.content.get("1/manifest.jsonl") ?? []).toString();
  const entry = (content: Uint8Array): string => `"bytes":${content.length},"sha256":"${sha256(content)}"`;
  expect(manifest).toContain(entry(old));
  files.content.set("1/manifest.jsonl", Buffer.from(manifest.replace(entry(old), entry(bytes))));
  files.content.set(path, bytes);
}

function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
