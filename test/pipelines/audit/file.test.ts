import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { auditSink, isSound, type SinkFindings } from "../../../src/pipelines/audit/audit-sink.js";
import { openSink } from "../../../src/pipelines/sinks/open-sink.js";
import { SinkError } from "../../../src/pipelines/state/sink-error.js";
import { testFolder } from "../../support/folder.js";
import { auditWorld, repairs, verifies, writeAll } from "../../support/pipelines/audited-pipeline.js";
import { contentOf, expectAuditedFiles, filesPlan } from "../../support/pipelines/expect-audited-files.js";
import { expectKeptLineage } from "../../support/pipelines/expect-kept-lineage.js";
import { text } from "../../support/pipelines/law-pipeline.js";
import { PlayedFeed } from "../../support/pipelines/played-feed.js";
import { PlayedChain } from "../../support/pipelines/played-source.js";
import { randomOf } from "../../support/pipelines/random.js";

const settings = { path: text("out"), blocks_per_file: { value: 7, at: text("7").at } };
const { plan, sink } = filesPlan({ type: "file", name: text("out"), settings });

it("an audit of files finds each row that was deleted, altered, doubled or added, and repairs only its file", async () => {
  await expectAuditedFiles([1, 2, 3, 4, 5], () => {
    const folder = testFolder();
    return {
      folder,
      definition: sink.definition,
      world: { openFiles: () => openTableFiles(folder) },
      damage: async (path, content) =>
        content ? writeFileSync(join(folder, path), content) : rmSync(join(folder, path)),
    };
  });
});

it("an audit of files keeps how rows of files were computed", async () => {
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
  for (let count = 0; count < 7; count += 1) played.chain.mine();
  const folder = testFolder();
  const world = auditWorld(played, { openFiles: () => openTableFiles(folder) });
  await expectKeptLineage(plan, sink, world, played);
});

it("an audit of files finds each wrong row of partitions, and repairs only their files", async () => {
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
  for (let count = 0; count < 40; count += 1) played.chain.mine();
  const folder = testFolder();
  const world = auditWorld(played, { openFiles: () => openTableFiles(folder) });
  const divided = filesPlan({
    type: "file",
    name: text("out"),
    settings: { ...settings, partition_columns: [text("WHO")] },
  });
  const flow = { ...divided, owner: { flow: plan.name, sources: ["played"] } };
  const audit = (request = verifies): Promise<SinkFindings> =>
    auditSink(divided.plan, divided.sink, world, request);
  await writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, world), played);
  expect(isSound(await audit())).toBe(true);
  const before = contentOf(folder);
  const [lost = "", moved = "", other = "", record = ""] = [
    ...Object.keys(before).filter((path) => path.endsWith(".parquet")),
    ...Object.keys(before).filter((path) => path.endsWith(".window")),
  ].filter((_, index) => index % 3 === 0);
  rmSync(join(folder, lost));
  writeFileSync(join(folder, moved), readFileSync(join(folder, other)));
  mkdirSync(join(folder, "played/who=z"));
  writeFileSync(join(folder, "played/who=z/mine.parquet"), "mine");
  const damaged = contentOf(folder);
  const found = await audit();
  expect(found.rows?.notes).toEqual([`${lost} is missing.`]);
  expect(found.rows?.strays).toEqual(["played/who=z/mine.parquet"]);
  expect(found.rows?.counts.missing).toBeGreaterThan(1);
  expect(found.rows?.counts.foreign).toBeGreaterThan(0);
  expect(contentOf(folder)).toEqual(damaged);
  await audit(repairs);
  rmSync(join(folder, "played/who=z"), { recursive: true });
  expect(contentOf(folder)).toEqual(before);
  // The record of a window is all that says which partitions it has.
  rmSync(join(folder, record));
  const { rows } = await audit({ ...repairs, trustsSource: true });
  expect(rows?.notes).toEqual([`${record} is missing.`]);
  expect(contentOf(folder)).toEqual(before);
  expect(isSound(await audit())).toBe(true);
});

/** A chain that is written into partitions of a folder, and the same folder of a disk that is full at the third file. */
function dividedPlay(blocks: number) {
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
  for (let count = 0; count < blocks; count += 1) played.chain.mine();
  const folder = testFolder();
  const files = openTableFiles(folder);
  const divided = filesPlan({
    type: "file",
    name: text("out"),
    settings: { ...settings, partition_columns: [text("who")] },
  });
  let written = 0;
  const cut = {
    ...files,
    write: (...given: Parameters<typeof files.write>) => {
      written += 1;
      if (written === 3) throw new SinkError("the disk is full", true);
      return files.write(...given);
    },
  };
  const flow = { ...divided, owner: { flow: plan.name, sources: ["played"] } };
  return { played, folder, files, cut, divided, flow };
}

it("an audit of files completes the window of an interrupted writer before it repairs the window", async () => {
  const { played, folder, cut, divided, flow } = dividedPlay(14);
  const world = auditWorld(played, { openFiles: () => cut });
  const writing = writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, world), played);
  await expect(writing).rejects.toThrow("the disk is full");
  // Its rows are all in its record, so nothing is missing.
  const { rows } = await auditSink(divided.plan, divided.sink, world, verifies);
  expect(rows).toMatchObject({ notes: [], strays: [], counts: { missing: 0, foreign: 0 } });
  const divisions = (): number =>
    Object.keys(contentOf(folder)).filter((path) => path.endsWith(".parquet")).length;
  const begun = divisions();
  await auditSink(divided.plan, divided.sink, world, repairs);
  const completed = contentOf(folder);
  await (await openSink(flow.sink, flow.owner, world)).close();
  expect(contentOf(folder)).toEqual(completed);
  expect(divisions()).toBeGreaterThan(begun);
});

it("an audit of files reports a window whose repair was interrupted, and repairs it", async () => {
  const { played, folder, files, cut, divided, flow } = dividedPlay(40);
  const world = auditWorld(played, { openFiles: () => files });
  await writeAll(flow, flow.sink, await openSink(flow.sink, flow.owner, world), played);
  const before = contentOf(folder);
  const [first = "", ...others] = Object.keys(before).filter((path) =>
    path.endsWith("-000000000006.parquet"),
  );
  expect(others.length).toBeGreaterThan(1);
  for (const path of [first, ...others]) rmSync(join(folder, path));
  const cutWorld = auditWorld(played, { openFiles: () => cut });
  await expect(auditSink(divided.plan, divided.sink, cutWorld, repairs)).rejects.toThrow("the disk is full");
  // Runs look at the last window alone.
  await (await openSink(flow.sink, flow.owner, world)).close();
  const { rows } = await auditSink(divided.plan, divided.sink, world, verifies);
  expect(rows?.notes).toEqual([
    "played/_windows/000000000000-000000000006.window was not written to its end, so readers may see a part of its rows.",
  ]);
  await auditSink(divided.plan, divided.sink, world, repairs);
  expect(contentOf(folder)).toEqual(before);
  expect(isSound(await auditSink(divided.plan, divided.sink, world, verifies))).toBe(true);
});

it("an audit of files reports files that the pipeline has not written, and leaves them in place", async () => {
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
  for (let count = 0; count < 7; count += 1) played.chain.mine();
  const folder = testFolder();
  const world = auditWorld(played, { openFiles: () => openTableFiles(folder) });
  const flow = { plan, sink, owner: { flow: plan.name, sources: ["played"] } };
  await writeAll(flow, sink, await openSink(sink, flow.owner, world), played);
  writeFileSync(join(folder, "played/mine.txt"), "mine");
  const { rows } = await auditSink(plan, sink, world, repairs);
  expect(rows).toMatchObject({ strays: ["played/mine.txt"], notes: [] });
  expect(readFileSync(join(folder, "played/mine.txt"), "utf8")).toBe("mine");
});

it("an audit of files names files that hold the same blocks twice, and stops", async () => {
  const random = randomOf(1);
  const played = { chain: new PlayedChain(random), feed: new PlayedFeed(random) };
  for (let count = 0; count < 40; count += 1) played.chain.mine();
  const folder = testFolder();
  const world = auditWorld(played, { openFiles: () => openTableFiles(folder) });
  const flow = { plan, sink, owner: { flow: plan.name, sources: ["played"] } };
  await writeAll(flow, sink, await openSink(sink, flow.owner, world), played);
  const [first = ""] = Object.keys(contentOf(folder)).filter((path) => path.endsWith(".parquet"));
  const double = first.replace(/-(\d+)/, (_, to: string) => `-${String(Number(to) + 2).padStart(12, "0")}`);
  writeFileSync(join(folder, double), readFileSync(join(folder, first)));
  const { rows } = await auditSink(plan, sink, world, verifies);
  expect(rows).toMatchObject({
    strays: [],
    notes: [
      `${double} and ${first} both have the rows of blocks 0-${Number(first.slice(-20, -8))}, so readers get them twice. Delete the first one.`,
    ],
  });
  expect((await auditSink(plan, sink, world, repairs)).rows?.strays).toEqual([double]);
  await expect(openSink(sink, flow.owner, world)).rejects.toThrow(`in ${first} and in ${double}`);
});
