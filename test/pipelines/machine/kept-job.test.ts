import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openFileJob } from "../../../src/pipelines/host/state/kept-jobs.js";
import { plant, testFolder } from "../../support/folder.js";

const job = { digest: "d1", targets: ["postgres DB  totals"], savepoint: "file:///savepoint-1" };

it("a job file keeps a job for the next process", async () => {
  const folder = testFolder();
  const first = await openFileJob(folder, "totals");
  expect(first.kept).toBeUndefined();
  await first.keep({ ...job, savepoint: undefined });
  await first.keep(job);
  expect(first.kept).toEqual(job);
  first.close();
  const second = await openFileJob(folder, "totals");
  expect(second.kept).toEqual(job);
  second.close();
});

it("a job file is held by one process at a time", async () => {
  const folder = testFolder();
  const first = await openFileJob(folder, "totals");
  await expect(openFileJob(folder, "totals")).rejects.toThrow("The pipeline is run on Flink by");
  first.close();
  (await openFileJob(folder, "totals")).close();
});

it.each([
  "",
  "{",
  "{}",
  '{"digest":"d1","targets":[1]}',
])("a job file refuses a file with %j, and does not change it", async (text) => {
  const folder = testFolder();
  plant(folder, { "totals/flink.json": text });
  await expect(openFileJob(folder, "totals")).rejects.toThrow("is not a saved job of Flink");
  expect(readFileSync(join(folder, "totals/flink.json"), "utf8")).toBe(text);
});
