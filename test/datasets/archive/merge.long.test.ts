import { describe, expect, it } from "vitest";
import type { ArchiveFiles } from "../../../src/datasets/archive/archive-files.js";
import { ChainArchive } from "../../../src/datasets/archive/chain-archive.js";
import { keptChains } from "../../../src/datasets/archive/kept-chains.js";
import { verifyChain } from "../../../src/datasets/archive/verify/verify-chain.js";
import { Actor } from "../../support/archive/actors.js";
import { FailingArchiveFiles, type Failure } from "../../support/archive/failing-files.js";
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

/** What a run leaves that follows the chain head for a short while. */
function shortRun(index: number): Put {
  const [from, to] = [1 + index * 3, 3 + index * 3];
  return {
    blocks: madeBlocks(from, to),
    logs: madeLogs(from, to),
    claim: { from, to },
    answers: [{ number: from }, { number: to }],
  };
}

/** The same without blocks and logs, which takes fewer operations. */
function answersOf(index: number): Put {
  const { answers = [] } = shortRun(index);
  return { answers };
}

/** Fails unless all answers of some short runs are there. */
async function expectAnswers(archive: ChainArchive, count: number): Promise<void> {
  for (let number = 1; number <= count * 3; number++) {
    if (number % 3 === 2) continue;
    const hash = hashOf(`block ${number}`);
    expect(await archive.answer(number, `read ${hash} ${address} 0x`), `answer ${number}`).toBe('"0x01"');
  }
}

const runs = (count: number, from = 0): readonly Put[] =>
  Array.from({ length: count }, (_, index) => shortRun(from + index));

/** An archive that is about to be merged, by whoever writes next. */
async function almost(): Promise<MemoryArchiveFiles> {
  const files = new MemoryArchiveFiles();
  await put(files, ...runs(15));
  return files;
}

const open = (files: ArchiveFiles, damage: string[] = []): Promise<ChainArchive> =>
  ChainArchive.open({ files, folder: "1", chainId: "1", onDamage: (why) => damage.push(why) });

/** Fails unless all that some short runs have put is there. */
async function expectAll(archive: ChainArchive, count: number): Promise<void> {
  const last = count * 3;
  for (let number = 1; number <= last; number++)
    expect((await archive.block(number))?.hash, `block ${number}`).toBe(hashOf(`block ${number}`));
  await expectAnswers(archive, count);
  expect(await archive.logs({ from: 1, to: last }, filter, "bloom")).toEqual(madeLogs(1, last));
}

async function segmentsOf(files: ArchiveFiles): Promise<readonly string[]> {
  const [chain] = (await keptChains(files)) ?? [];
  return (chain?.manifest.segments ?? []).map(({ kind, from, to }) => `${kind} ${from}-${to}`).sort();
}

async function faultsOf(files: ArchiveFiles, withNotes = false): Promise<readonly unknown[]> {
  const [chain] = (await keptChains(files)) ?? [];
  if (!chain) return ["it has no chain"];
  const { faults, notes } = await verifyChain(files, chain);
  return withNotes ? [...faults, ...notes] : faults;
}

describe("an archive with many small segments", () => {
  it("merges them once there are sixteen, without losing data", async () => {
    const files = await almost();
    expect((await segmentsOf(files)).length).toBe(45);
    await put(files, shortRun(15));
    expect(await segmentsOf(files)).toEqual(["answers 1-48", "blocks 1-48", "logs 1-48"]);
    expect(await faultsOf(files, true)).toEqual([]);
    await expectAll(await open(files), 16);
    await put(files, ...runs(17, 16));
    expect((await segmentsOf(files)).length).toBeLessThan(3 * 5);
    await expectAll(await open(files), 33);
  });

  it("merges none over a multiple of the usual number of blocks", async () => {
    const files = new MemoryArchiveFiles();
    const at = (number: number): Put => ({ blocks: [madeBlock(number)] });
    await put(files, ...Array.from({ length: 16 }, (_, index) => at(99_990 + index)));
    expect((await segmentsOf(files)).length).toBe(16);
    await put(files, ...Array.from({ length: 6 }, (_, index) => at(99_984 + index)));
    expect(await segmentsOf(files)).toEqual([
      "blocks 100000-100000",
      "blocks 100001-100001",
      "blocks 100002-100002",
      "blocks 100003-100003",
      "blocks 100004-100004",
      "blocks 100005-100005",
      "blocks 99984-99999",
    ]);
  });

  it("keeps claims of different contracts and proofs apart", async () => {
    const files = new MemoryArchiveFiles();
    const others = [{ addresses: [otherAddress], topics: [topic] }];
    const claims = Array.from({ length: 16 }, (_, index): Put => {
      const [from, to] = [1 + index * 3, 3 + index * 3];
      return index % 2 === 0
        ? { logs: madeLogs(from, to), claim: { from, to } }
        : { logs: [], claim: { from, to, filter: others } };
    });
    await put(files, ...claims);
    expect((await segmentsOf(files)).length).toBe(1);
    const archive = await open(files);
    expect(await archive.logs({ from: 1, to: 3 }, filter, "bloom")).toEqual(madeLogs(1, 3));
    expect(await archive.logs({ from: 4, to: 6 }, others, "bloom")).toEqual([]);
    expect(await archive.logs({ from: 4, to: 6 }, filter, "bloom")).toBeUndefined();
    expect(await archive.logs({ from: 1, to: 3 }, filter, "receipts")).toBeUndefined();
  });

  it("leaves segments that contradict each other for a verification", async () => {
    const files = await almost();
    await put(files, { blocks: [madeBlock(4, { hash: hashOf("strange") })] });
    expect((await segmentsOf(files)).length).toBe(46);
    expect((await faultsOf(files)).length).toBeGreaterThan(0);
  });

  it("a process that has opened the archive before keeps reading it, and reports no damage", async () => {
    const files = await almost();
    const damage: string[] = [];
    const archive = await open(files, damage);
    await archive.block(1);
    await put(files, shortRun(15));
    await expectAll(archive, 15);
    expect(damage).toEqual([]);
  });

  it.each<Failure>([
    "throws",
    "throws once",
    "crashes",
  ])("loses no data if its files fail at any operation: %s", async (failure) => {
    const filled = new MemoryArchiveFiles();
    await put(filled, ...Array.from({ length: 15 }, (_, index) => answersOf(index)));
    let at = 0;
    for (let isOver = false; !isOver; at++) {
      const files = filled.copy();
      const failing = new FailingArchiveFiles(files, failure, at);
      await put(failing, answersOf(15)).catch((error: Error) => {
        expect(error.message).toContain("the disk fails");
      });
      isOver = !failing.hasFailed;
      expect(await faultsOf(files), `operation ${at}`).toEqual([]);
      await expectAnswers(await open(files), 15);
      await put(files, answersOf(15), answersOf(16));
      expect((await segmentsOf(files)).length, `operation ${at}`).toBeLessThanOrEqual(3);
      await expectAnswers(await open(files), 17);
      expect(await faultsOf(files), `operation ${at}`).toEqual([]);
    }
    expect(at).toBeGreaterThan(20);
  });

  it("loses nothing when two processes merge it at the same time", async () => {
    const filled = new MemoryArchiveFiles();
    await put(filled, ...Array.from({ length: 15 }, (_, index) => answersOf(index)));
    for (let seed = 1; seed <= 12; seed++) {
      const files = filled.copy();
      const actors = [new Actor(), new Actor()] as const;
      const done = Promise.all(
        actors.map((actor, index) => actor.start(() => put(actor.on(files), answersOf(15 + index)))),
      );
      let state = seed;
      for (let left = 2; left > 0; ) {
        state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
        const [first, second] = state & 0x8000 ? actors : [actors[1], actors[0]];
        if (await first.step()) continue;
        if (!(await second.step())) left = 0;
      }
      await done;
      expect(await faultsOf(files), `seed ${seed}`).toEqual([]);
      await expectAnswers(await open(files), 17);
      expect((await segmentsOf(files)).length, `seed ${seed}`).toBeLessThan(4);
    }
  });
});
