import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openForeignDatabase } from "../../../src/store/open.js";
import { copyRecorded, kinds, withCatalog } from "../../dumps/dump-tests.js";
import { postgresMissing, startPostgres } from "../../support/database/postgres-server.js";
import { realWorld } from "../../support/worlds.js";
import { graphloom, workplace } from "../harness.js";

test("a folder that is not a dump creates no database", async () => {
  const cwd = workplace();
  const refused = await graphloom(cwd, "restore nowhere --database data");
  expect(refused).toMatchObject({ code: 1, out: "" });
  expect(refused.err).toContain("the folder has no metadata.json");
  expect(existsSync(join(cwd, "data"))).toBe(false);
});

test("a dump is restored under a name, dumped by that name, and not twice", async () => {
  const cwd = workplace();
  copyRecorded(cwd);
  const restored = await graphloom(cwd, "restore dump --database data --name kinds/1");
  expect(restored).toMatchObject({ code: 0 });
  expect(restored.out).toContain("Mut: 13 rows\n");
  expect(restored.out).toMatch(/Restored QmUd6\w+ of mainnet, up to block 21\.\n$/);

  const dumped = await graphloom(cwd, "dump kinds/1 again --database data --output json");
  expect(dumped).toMatchObject({ code: 0 });
  expect(JSON.parse(dumped.out)).toMatchObject({ deployment: kinds, head: 21 });

  const twice = await graphloom(cwd, "restore again --database data");
  expect(twice).toMatchObject({ code: 1, out: "" });
  expect(twice.err).toContain("is already in the database\nPass --replace");
  const same = await graphloom(cwd, "dump kinds again --database data");
  expect(same).toMatchObject({ code: 1, out: "" });
  expect(same.err).toContain("already has all blocks, up to 21");

  rmSync(join(cwd, "again", "Mut", "chunk_000000.parquet"));
  const lost = await graphloom(cwd, "restore again --database data --replace");
  expect(lost).toMatchObject({ code: 1, out: "" });
  expect(lost.err).toContain("Mut/chunk_000000.parquet: the file does not exist");

  const unknown = await graphloom(cwd, "dump other more --database data");
  expect(unknown).toMatchObject({ code: 2 });
  expect(unknown.err).toContain("The database has no subgraph with the name other");
  expect((await graphloom(cwd, "dump kinds more --database nothing")).code).toBe(3);
  expect((await graphloom(cwd, "restore dump", { env: {} })).err).toContain("No API to talk to.");
});

test("a restore into a graph-node's database takes neither a folder nor a name", async () => {
  const cwd = workplace();
  const into = async (line: string): Promise<unknown> => graphloom(cwd, `restore dump --graph-node ${line}`);
  expect(await into("--database data")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--graph-node requires an address: --database postgres://"),
  });
  expect(await into("--database postgres://127.0.0.1/x --name pools")).toMatchObject({
    code: 2,
    err: expect.stringContaining("--graph-node has no --name and no --replace. Name the subgraph when"),
  });
});

test.skipIf(postgresMissing !== undefined)("a dump moves into a graph-node's database and back", async () => {
  const server = await startPostgres();
  onTestFinished(() => server.stop());
  const address = server.address("postgres");
  const database = await openForeignDatabase(address, realWorld);
  onTestFinished(() => database.close());
  await withCatalog(database);
  const cwd = workplace();
  copyRecorded(cwd);
  const restored = await graphloom(cwd, `restore dump --graph-node --database ${address}`);
  expect(restored).toMatchObject({ code: 0, err: "" });
  expect(restored.out).toMatch(
    /Restored QmUd6\w+ of mainnet, up to block 21\.\nDeploy its build next, under a name: graphloom subgraph deploy <name>\/<version> <build> --graph-node/,
  );
  const dumped = await graphloom(cwd, `dump ${kinds} back --graph-node --database ${address}`);
  expect(dumped).toMatchObject({ code: 0, err: "" });
  expect(dumped.out).toContain("Mut: 13 rows\n");
});
