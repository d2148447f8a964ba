import { describe, expect, it } from "vitest";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import { openArchive } from "../../../src/datasets/archive/open-archive.js";
import {
  carryOutPrune,
  type PrunePlan,
  type PruneWishes,
  planPrune,
} from "../../../src/datasets/archive/prune.js";
import { surveyChain } from "../../../src/datasets/archive/verify/survey.js";
import { verifyChain } from "../../../src/datasets/archive/verify/verify-chain.js";
import {
  address,
  filter,
  hashOf,
  madeBlock,
  madeBlocks,
  madeLogs,
  otherAddress,
  type Put,
  put,
  topic,
} from "../../support/archive/made-chain.js";
import { MemoryArchiveFiles } from "../../support/archive/memory-files.js";

const hour = 3_600_000;

async function plan(files: MemoryArchiveFiles, wishes: PruneWishes = {}): Promise<PrunePlan> {
  const [chain] = (await keptChains(files)) ?? [];
  if (!chain) throw new Error("it has no chain");
  return planPrune(files, chain, wishes, 10 * hour);
}

async function pruned(files: MemoryArchiveFiles, wishes: PruneWishes = {}): Promise<readonly string[]> {
  const planned = await plan(files, wishes);
  await carryOutPrune(files, planned);
  return planned.segments.map(({ kind, from, to }) => `${kind} ${from}-${to}`).sort();
}

async function archiveOf(...all: readonly Put[]): Promise<MemoryArchiveFiles> {
  const files = new MemoryArchiveFiles();
  await put(files, ...all);
  return files;
}

/** What is wrong with an archive, and what no line lists. */
async function troubles(files: MemoryArchiveFiles): Promise<readonly unknown[]> {
  const [chain] = (await keptChains(files)) ?? [];
  if (!chain) return [];
  const { faults, notes } = await verifyChain(files, chain);
  return [...faults, ...notes];
}

const logs = (from: number, to: number, of = filter): Put => ({
  logs: of === filter ? madeLogs(from, to) : [],
  claim: { from, to, filter: of },
});
const others = [{ addresses: [otherAddress], topics: [topic] }];

describe("pruning an archive", () => {
  it.each<[string, readonly Put[], readonly string[]]>([
    ["nothing of what is there once", [{ blocks: madeBlocks(1, 9) }, { blocks: madeBlocks(5, 12) }], []],
    [
      "blocks that another segment has",
      [{ blocks: madeBlocks(3, 5) }, { blocks: madeBlocks(1, 9) }],
      ["blocks 3-5"],
    ],
    [
      "blocks that two others have together",
      [{ blocks: madeBlocks(1, 5) }, { blocks: madeBlocks(6, 12) }, { blocks: madeBlocks(5, 7) }],
      ["blocks 5-7"],
    ],
    [
      "no blocks between those of another segment",
      [{ blocks: [madeBlock(1), madeBlock(9)] }, { blocks: [madeBlock(5)] }],
      [],
    ],
    [
      "no block that has another hash",
      [{ blocks: madeBlocks(1, 9) }, { blocks: [madeBlock(5, { hash: hashOf("strange") })] }],
      [],
    ],
    ["logs that another segment has", [logs(1, 9), logs(2, 5)], ["logs 2-5"]],
    ["no logs of another contract", [logs(1, 9), logs(2, 5, others)], []],
    [
      "logs of one contract, where another segment has those of any",
      [logs(1, 9, [{ addresses: [], topics: [topic] }]), logs(2, 5, others)],
      ["logs 2-5"],
    ],
    [
      "logs of one topic, where another segment has those of any topic of the contract",
      [logs(1, 9, [{ addresses: [otherAddress], topics: undefined }]), logs(2, 5, others)],
      ["logs 2-5"],
    ],
    [
      "no logs of any topic, where another segment has those of one",
      [logs(1, 9, others), logs(2, 5, [{ addresses: [otherAddress], topics: undefined }])],
      [],
    ],
    [
      "no logs that are missing where they are claimed",
      [{ logs: [], claim: { from: 1, to: 9 } }, logs(2, 5)],
      [],
    ],
    [
      "answers that another segment has",
      [{ answers: [{ number: 3 }, { number: 9 }] }, { answers: [{ number: 3 }] }],
      ["answers 3-3"],
    ],
    [
      "no answer that is another one",
      [{ answers: [{ number: 3 }] }, { answers: [{ number: 3, answer: '"0x02"' }] }],
      [],
    ],
  ])("removes %s", async (_, puts, expected) => {
    const files = await archiveOf(...puts);
    expect(await pruned(files)).toEqual(expected);
    const [chain] = (await keptChains(files)) ?? [];
    expect(chain?.manifest.segments.length).toBe(puts.length - expected.length);
    expect((await plan(files)).files).toEqual([]);
  });

  it("removes one of two segments with the same content, and only segments that it can read", async () => {
    const files = await archiveOf(
      { blocks: madeBlocks(1, 3) },
      { blocks: [1, 3, 2].map((n) => madeBlock(n)) },
    );
    const damaged = files.copy();
    expect((await pruned(files)).length).toBe(1);
    expect(await troubles(files)).toEqual([]);
    const [path = ""] = [...damaged.content.keys()].filter((key) => key.startsWith("1/blocks/"));
    damaged.content.set(path, new Uint8Array());
    expect(await pruned(damaged)).toEqual([]);
  });

  it("removes leftovers once they are an hour old, and no files of other programs", async () => {
    const files = await archiveOf({ blocks: madeBlocks(1, 3) });
    const before = new Set(files.content.keys());
    const old = ["1/blocks/1-2-0123456789abcdef.parquet", "1/logs/1-2-0123456789abcdef.parquet.0a.tmp"];
    const young = ["1/blocks/2-2-0123456789abcdef.parquet", "1/logs/2-2-0123456789abcdef.parquet.0a.tmp"];
    for (const path of [...old, ...young, "1/blocks/readme.txt"]) await files.write(path, Buffer.from("xy"));
    for (const path of young) files.changed.set(path, 9 * hour + 1);
    const planned = await plan(files);
    expect(planned.files.map(({ path }) => `1/${path}`)).toEqual(old);
    expect(planned.bytes).toBe(4);
    await carryOutPrune(files, planned);
    expect(new Set(files.content.keys())).toEqual(new Set([...before, ...young, "1/blocks/readme.txt"]));
  });

  it("removes segments that end before a block", async () => {
    const files = await archiveOf({ blocks: madeBlocks(1, 9) }, { blocks: madeBlocks(5, 12) }, logs(1, 9));
    expect(await pruned(files, { before: 9 })).toEqual([]);
    expect(await pruned(files, { before: 10 })).toEqual(["blocks 1-9", "logs 1-9"]);
    expect(await troubles(files)).toEqual([]);
  });

  it("removes segments that a verification refuses", async () => {
    const strange = { blocks: [madeBlock(5, { hash: hashOf("strange") })] };
    const files = await archiveOf({ blocks: madeBlocks(1, 9) }, strange, logs(1, 9), {
      answers: [{ number: 3 }],
    });
    const [path = ""] = [...files.content.keys()].filter((key) => key.startsWith("1/claims/"));
    files.content.delete(path);
    expect((await troubles(files)).length).toBeGreaterThan(1);
    expect(await pruned(files, { damaged: true })).toEqual(["blocks 1-9", "blocks 5-5", "logs 1-9"]);
    expect(await troubles(files)).toEqual([]);
  });

  it("keeps a file that another segment has, too", async () => {
    const files = await archiveOf(
      logs(1, 2),
      logs(1, 2, others),
      logs(1, 2, [{ addresses: [], topics: [topic] }]),
    );
    const paths = [...files.content.keys()];
    expect(paths.filter((key) => key.startsWith("1/logs/")).length).toBe(1);
    expect(paths.filter((key) => key.startsWith("1/claims/")).length).toBe(3);
    expect((await pruned(files)).length).toBe(2);
    expect(await troubles(files)).toEqual([]);
    const [chain] = (await keptChains(files)) ?? [];
    expect(chain && surveyChain(chain)).toMatchObject({ segments: 1, ranges: [{ from: 1, to: 2 }] });
  });

  it("keeps a file that was listed after the plan", async () => {
    const files = await archiveOf({ blocks: madeBlocks(1, 3) });
    const planned = await plan(files, { before: 100 });
    await carryOutPrune(files, planned);
    const again = await archiveOf({ blocks: madeBlocks(1, 3) });
    const line = Buffer.from(again.content.get("1/manifest.jsonl") ?? []).toString();
    const late = await archiveOf({ blocks: madeBlocks(1, 3) });
    const { append } = late;
    late.append = async (path, text) => {
      await append.call(late, path, text);
      await append.call(late, path, line);
    };
    await carryOutPrune(late, planned);
    expect(await troubles(late)).toEqual([]);
    const [chain] = (await keptChains(late)) ?? [];
    expect(chain?.manifest.segments.length).toBe(1);
  });

  it("removes everything about a chain, as if it had never existed", async () => {
    const files = await archiveOf({ blocks: madeBlocks(1, 9) }, logs(1, 9));
    await files.write("1/logs/2-2-0123456789abcdef.parquet.0a.tmp", Buffer.from("xy"));
    files.changed.set("1/logs/2-2-0123456789abcdef.parquet.0a.tmp", 10 * hour);
    await pruned(files, { all: true });
    expect([...files.content.keys()]).toEqual(["networks.jsonl"]);
    expect(await keptChains(files)).toEqual([]);
    await expect(openArchive(files, "mainnet", undefined)).rejects.toThrow("has nothing of the network");
    await put(files, { blocks: madeBlocks(1, 3) });
    expect((await keptChains(files))?.map(({ networks }) => networks)).toEqual([["mainnet"]]);
  });

  it.each([
    { before: 100 },
    { all: true },
    { damaged: true },
  ])("leaves no fault wherever it is cut off: %o", async (wishes) => {
    const whole = await archiveOf({ blocks: madeBlocks(1, 9) }, { blocks: madeBlocks(5, 12) }, logs(1, 9), {
      blocks: [madeBlock(10, { hash: hashOf("strange") })],
    });
    const planned = await plan(whole, wishes);
    let steps = 0;
    let isCut = true;
    for (let last = 0; isCut; last++) {
      isCut = false;
      steps = 0;
      const files = whole.copy();
      const { append, remove } = files;
      const step = async (apply: () => Promise<void>): Promise<void> => {
        if (steps === last) {
          isCut = true;
          throw new Error("cut off");
        }
        steps += 1;
        await apply();
      };
      files.append = (path, text) => step(() => append.call(files, path, text));
      files.remove = (path) => step(() => remove.call(files, path));
      await carryOutPrune(files, planned).catch(() => undefined);
      Object.assign(files, { append, remove });
      const [chain] = (await keptChains(files)) ?? [];
      const faults = chain ? (await verifyChain(files, chain)).faults : [];
      if (last > 0) expect(faults.filter(({ why }) => why.includes("missing"))).toEqual([]);
      if (chain) await carryOutPrune(files, await planPrune(files, chain, wishes, 10 * hour));
      expect(
        (await troubles(files)).filter((trouble) => JSON.stringify(trouble).includes("missing")),
      ).toEqual([]);
    }
    expect(steps).toBeGreaterThan(3);
  });
});

it("an archive distinguishes claims about one range, even if their logs are equal", async () => {
  const files = await archiveOf(logs(1, 2), logs(1, 2, others));
  const { archive } = await openArchive(files, "mainnet", undefined);
  for (const addresses of [[address], [otherAddress], [address, otherAddress]])
    expect(await archive.logs({ from: 1, to: 2 }, [{ addresses, topics: [topic] }], "bloom")).toEqual([]);
});

const reopened = (files: MemoryArchiveFiles): Promise<ChainArchive> =>
  ChainArchive.open({ files, folder: "1", chainId: "1" });

/** Adds short ranges of logs from nodes and from two sources in turn, each as a segment. */
async function fromSources(): Promise<MemoryArchiveFiles> {
  const files = await archiveOf();
  const archive = await reopened(files);
  for (let at = 0; at < 60; at++) {
    const source = [undefined, "portal=https://one.example", "portal=https://two.example"][at % 3];
    const range = { from: 10 * at + 1, to: 10 * at + 10 };
    await archive.addLogs(range, filter, "bloom", madeLogs(range.from, range.to), source);
    if (at % 2 === 0) await archive.flush();
  }
  await archive.flush();
  return files;
}

describe("sources of history", () => {
  it("an archive merges only logs of the same source, and forgets those from one source", async () => {
    const files = await fromSources();
    const segmentsOf = async (): Promise<readonly (string | undefined)[]> =>
      ((await keptChains(files)) ?? []).flatMap(({ manifest }) =>
        manifest.segments.map(({ source }) => source),
      );
    const before = await segmentsOf();
    expect(before.length).toBeLessThan(60);
    expect(new Set(before)).toEqual(
      new Set([undefined, "portal=https://one.example", "portal=https://two.example"]),
    );
    await pruned(files, { source: "portal=https://one.example" });
    expect(new Set(await segmentsOf())).toEqual(new Set([undefined, "portal=https://two.example"]));
    const archive = await reopened(files);
    const kept = (from: number): Promise<unknown> => archive.logs({ from, to: from + 9 }, filter, "bloom");
    expect(await kept(1)).toEqual(madeLogs(1, 10));
    expect(await kept(11)).toBeUndefined();
    expect(await kept(21)).toEqual(madeLogs(21, 30));
    await pruned(files, { source: "portal" });
    expect(new Set(await segmentsOf())).toEqual(new Set([undefined]));
    expect(await troubles(files)).toEqual([]);
  });
});
