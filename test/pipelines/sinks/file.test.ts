import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { openTableFiles } from "../../../src/machine/files/table-files.js";
import { openFileSink } from "../../../src/pipelines/sinks/file/file-sink.js";
import type { Sink } from "../../../src/pipelines/sinks/sink.js";
import { testFolder } from "../../support/folder.js";
import { thisRun } from "../../support/pipelines/other-run.js";

const columns = [{ name: "id", type: "STRING", nullable: false }] as const;

function opened(folder: string, sources: readonly string[]): Promise<Sink> {
  const files = openTableFiles(folder);
  return openFileSink({
    files,
    place: { name: "folder", setting: "path" },
    flow: "f",
    sink: "s",
    sources,
    columns,
    blocksPerFile: 1,
  });
}

it("INV-P3: a file sink refuses a folder that another process writes, until that has ended", async () => {
  const folder = testFolder();
  const first = await opened(folder, ["a"]);
  await expect(opened(folder, ["a"])).rejects.toThrow(
    new RegExp(`^Another run writes the folder of sink \\S+${thisRun.source}, or choose another path\\.$`),
  );
  await first.close();
  await (await opened(folder, ["a"])).close();
});

it("a file sink gives sources with similar names folders of their own", async () => {
  const folder = testFolder();
  const sources = ["a b", "a_b", "a/b", "..", "ä"];
  const sink = await opened(folder, sources);
  const changes = {
    schema: { columns, key: [] },
    operations: ["i"],
    rows: { count: 1, columns: [["x"]] },
    replaced: { count: 0, columns: [[]] },
    overwritten: 0,
  } as const;
  for (const source of sources)
    await sink.write({
      source,
      from: 0,
      to: 0,
      changes,
      ledger: { from: 0, to: 0, rows: 1, sum: 1n },
      position: { next: 1, open: [] },
    });
  await sink.close();
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(["%2e.", "%c3%a4", "a%20b", "a%2fb", "a_b"]);
  expect((await opened(folder, sources)).positions.size).toBe(5);
});
