import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { openArchive } from "../../../src/datasets/archive/open-archive.js";
import { openArchiveFiles } from "../../../src/machine/files/archive-files.js";
import { serverDatabase } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { useFolder } from "../../support/folder.js";
import { demoFiles, type PlayedNode, type Served, startPlayedNode, startServed } from "./served.js";

const homes = { one: useFolder(), two: useFolder() };
const kept = join(useFolder(), "archive");
let files: ReadonlyMap<string, string | Uint8Array>;
let node: PlayedNode;
beforeAll(async () => {
  files = await demoFiles();
  node = await startPlayedNode("key");
}, 300_000);
afterAll(() => node.stop());

async function serving(home: string, work: (served: Served) => Promise<void>): Promise<void> {
  const options = ["--data", "data", "--rpc", `sepolia=${node.url}`, "--archive", kept];
  // Hundreds of blocks are committed one by one, which takes long in a folder.
  const database = postgresMissing === undefined ? { GRAPHLOOM_DATABASE: await serverDatabase() } : {};
  const served = await startServed(options, home, database);
  try {
    await work(served);
    served.child.kill("SIGTERM");
    expect(await served.ended).toBe(0);
  } finally {
    served.child.kill("SIGKILL");
    await served.ended;
  }
}

const trades = "{ trades(first: 1000, orderBy: id) { id } }";

it("SIGTERM leaves a whole archive, which another server indexes the same from", async () => {
  let expected: unknown;
  await serving(homes.one, async (served) => {
    await served.deploy(files);
    await served.indexed(node.head());
    node.advance(40);
    await served.indexed(node.head());
    expected = await served.query(trades);
  });
  const damage: string[] = [];
  const { archive } = await openArchive(openArchiveFiles(kept), "sepolia", undefined, (why) =>
    damage.push(why),
  );
  const final = archive.marks?.final.number ?? -1;
  expect(final).toBeGreaterThan(0);
  expect((await archive.block(final))?.hash).toBe(archive.marks?.final.hash);
  expect(archive.reach).toBeLessThanOrEqual(final);
  expect(damage).toEqual([]);
  await serving(homes.two, async (served) => {
    await served.deploy(files);
    await served.indexed(node.head());
    expect(await served.query(trades)).toEqual(expected);
  });
}, 300_000);
