import { expect, it, onTestFinished } from "vitest";
import { DevSession } from "../../../src/cli/dev/dev-session.js";
import { Mistakes } from "../../../src/cli/dev/mistakes.js";
import type { NamedBuilds } from "../../../src/cli/named/named-builds.js";
import { StatusLine } from "../../../src/cli/terminal/status-line.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { ReadBuild } from "../../../src/subgraph/runnable/read-build.js";
import { countKept } from "../../support/compiler/collected.js";
import { onPglite } from "../../support/database/databases.js";
import { realWorld } from "../../support/worlds.js";
import { playHosting } from "./played-hosting.js";

const project = "project_dev";
const databases = onPglite();

/** A build for an edit; each number gives a different schema. */
function edit(number: number, remark = ""): NamedBuilds {
  const manifest = `
specVersion: 1.2.0
schema: { file: schema.graphql }
dataSources:
  - { kind: ethereum, name: A, network: sepolia, source: { abi: A }, mapping: { entities: [], abis: [], file: a.wasm } }
`;
  const files = new Map<string, string | Uint8Array>([
    ["subgraph.yaml", manifest],
    ["schema.graphql", `type Edit${number} @entity { id: ID! }${remark}`],
    ["a.wasm", new Uint8Array([0, 0x61, 0x73, 0x6d])],
  ]);
  const build = ReadBuild.of({ manifest: "subgraph.yaml", files });
  return { builds: [{ chain: "sepolia", build }], origins: new Map() };
}

/** A session whose engine indexes nothing, and everything that the session prints. */
async function openSession() {
  const database = await databases.fresh();
  await migrate(database);
  await createProject(database, { id: project, name: "dev" });
  const hosting = playHosting(database, "sepolia");
  const settings = { address: () => "", isLoopback: true, nodes: new Map(), version: "1" };
  const nodes = new Nodes(new Map(), realWorld);
  const platform = { database, hosting, nodes, world: realWorld, settings, secretKey: new Uint8Array(32) };
  const server = { address: "", project, platform, routes: [], close: async () => undefined };
  const terminal = { err: () => undefined, isTty: false };
  const printed: string[] = [];
  const session = new DevSession({
    server,
    name: "pools",
    print: (lines: string) => void printed.push(lines),
    color: false,
    line: new StatusLine(terminal, () => 0),
    mistakes: new Mistakes(),
  });
  onTestFinished(() => session.close());
  return { session, hosting, printed };
}

it("a session keeps the origins of the edits that are being indexed, and frees the rest", async () => {
  const { session, hosting } = await openSession();
  const origins: WeakRef<object>[] = [];
  for (let number = 0; number < 10; number++) {
    const offered = edit(number);
    origins.push(new WeakRef(offered.origins));
    await session.offer(offered);
  }
  // The build that answers, and the one that is being indexed beside it.
  expect([hosting.running.size, await countKept(origins)]).toEqual([2, 2]);
});

it("a session prints the warnings of a build once for each edit", async () => {
  const { session, printed } = await openSession();
  const doubtful = (number: number) => edit(number, " # doubtful");
  await session.offer(doubtful(1));
  expect(printed).toEqual(["sepolia: catching up\n", "sepolia: warning: the played engine\\u0007 warns\n"]);
  await session.offer(doubtful(2));
  expect(printed.filter((line) => line.includes("warning"))).toHaveLength(2);
});
