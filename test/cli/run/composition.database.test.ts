import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { BuiltFiles } from "../../../src/subgraph/runnable/built-subgraph.js";
import { linkedFiles, startNode } from "../../runtime/composition/recorded-node.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { graphloom, workplace } from "../harness.js";

function write(folder: string, { files }: BuiltFiles): void {
  mkdirSync(folder);
  for (const [path, content] of files) writeFileSync(join(folder, path), content);
}

test("run indexes a composed subgraph from the database that has its source", async () => {
  const { url, moveTo } = await startNode();
  moveTo(29);
  const cwd = workplace();
  const { source, composed } = linkedFiles();
  write(join(cwd, "source"), source);
  write(join(cwd, "composed"), composed);
  const database = postgresMissing === undefined ? await serverDatabase() : "kept";
  const run = (folder: string, ...more: readonly string[]) =>
    graphloom(cwd, ["run", folder, "--rpc", url, "--verify", "off", "--output", "json", ...more]);

  const without = await run("composed");
  expect([without.code, without.err]).toEqual([
    2,
    expect.stringContaining(
      "as a source, which is read from a database.\nIndex it with graphloom run --database",
    ),
  ]);
  const early = await run("composed", "--database", database);
  expect([early.code, early.err]).toEqual([
    3,
    expect.stringMatching(/^the source Qm\w+ is not in the database\nIndex it into this database first\.\n$/),
  ]);
  expect((await run("source", "--database", database)).code).toBe(0);
  const ran = await run("composed", "--database", database);
  expect([ran.code, ran.err]).toEqual([0, ""]);
  const { blocks, entities } = JSON.parse(ran.out).mainnet;
  expect(blocks.last).toBe(29);
  expect(entities.Log.map(({ data }: { data: string }) => data)).toEqual([
    "id = String a1; n = Int 1",
    "id = String b1; n = Int 1",
    "id = String a2; n = Int 1",
  ]);
});
