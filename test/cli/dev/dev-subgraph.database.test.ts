import { beforeEach, describe, expect, it } from "vitest";
import { type DevEvent, DevSubgraph } from "../../../src/cli/dev/dev-subgraph.js";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { findVersion, listVersions } from "../../../src/platform/subgraphs/versions.js";
import type { Database } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import type { Build } from "../../../src/subgraph/build.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { onPglite } from "../../support/database/databases.js";
import { type PlayedHosting, playHosting } from "./played-hosting.js";

const project = "project_dev";
const databases = onPglite();
let database: Database;
let hosting: PlayedHosting;
let events: DevEvent[];

/** A build for an edit; each type name gives a different schema. */
function edit(type: string): Build {
  const manifest = `
specVersion: 1.2.0
schema: { file: schema.graphql }
dataSources:
  - { kind: ethereum, name: A, network: sepolia, source: { abi: A }, mapping: { entities: [], abis: [], file: a.wasm } }
`;
  const files = new Map<string, string | Uint8Array>([
    ["subgraph.yaml", manifest],
    ["schema.graphql", `type ${type} @entity { id: ID! }`],
    ["a.wasm", new Uint8Array([0, 0x61, 0x73, 0x6d])],
  ]);
  return collectBuild({ manifest: "subgraph.yaml", files });
}

const idOf = (type: string): string => linkBuild(edit(type)).deploymentId;

function open(): DevSubgraph {
  return new DevSubgraph({ database, hosting, settings: {} }, { project, name: "pools" }, (event) =>
    events.push(event),
  );
}

/** The deployment that answers at the address. */
async function answering(): Promise<string | undefined> {
  return (await findVersion(database, { project, name: "pools", version: "dev" }))?.deployment;
}

beforeEach(async () => {
  database = await databases.fresh();
  await migrate(database);
  await createProject(database, { id: project, name: "dev" });
  hosting = playHosting(database, "sepolia");
  events = [];
});

describe("a subgraph under development", () => {
  it("answers from the first build at once, and reports when it reaches the head", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    expect([await answering(), [...hosting.running]]).toEqual([idOf("One"), [idOf("One")]]);
    await subgraph.look();
    hosting.play(idOf("One"), { isSynced: true, headBlock: 90 });
    const status = await subgraph.look();
    await subgraph.look();
    expect([status.current?.headBlock, status.next]).toEqual([90, undefined]);
    expect(events).toEqual([
      { kind: "indexing", isFirst: true },
      { kind: "synced", block: 90 },
    ]);
  });

  it("answers from the old build until the new one has caught up, then drops the old one", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    hosting.play(idOf("One"), { headBlock: 90 });
    await subgraph.offer(edit("Two"));
    hosting.play(idOf("Two"), { headBlock: 89 });
    const { next } = await subgraph.look();
    expect([next?.headBlock, await answering(), hosting.running.size]).toEqual([89, idOf("One"), 2]);
    hosting.play(idOf("Two"), { headBlock: 90 });
    await subgraph.look();
    expect([await answering(), [...hosting.running]]).toEqual([idOf("Two"), [idOf("Two")]]);
    expect((await listVersions(database, project, { limit: 10 })).length).toBe(2);
    expect(events.at(-1)).toEqual({ kind: "switched", block: 90 });
  });

  it("switches from a build without blocks as soon as the new one has a block", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    await subgraph.offer(edit("Two"));
    await subgraph.look();
    expect(await answering()).toBe(idOf("One"));
    hosting.play(idOf("Two"), { headBlock: 3 });
    await subgraph.look();
    expect(await answering()).toBe(idOf("Two"));
  });

  it("never switches to an earlier block, even if the new build reached the head before", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    hosting.play(idOf("One"), { headBlock: 90, isSynced: true });
    await subgraph.offer(edit("Two"));
    hosting.play(idOf("Two"), { headBlock: 89, isSynced: true });
    await subgraph.look();
    expect(await answering()).toBe(idOf("One"));
    hosting.play(idOf("Two"), { headBlock: 90, isSynced: true });
    await subgraph.look();
    expect([await answering(), events.at(-1)]).toEqual([idOf("Two"), { kind: "switched", block: 90 }]);
  });

  it.each<[string, Partial<HostedStatus>, Partial<HostedStatus>]>([
    [
      "the answering build has failed",
      { headBlock: 90, fatalError: { message: "it aborted" } },
      { headBlock: 80, isSynced: true },
    ],
    [
      "the answering build is at a block that the chain no longer has",
      { headBlock: 90, chainHeadBlock: 80, waitsFor: "block 90 is gone" },
      { headBlock: 80, isSynced: true },
    ],
    ["the new build ends before the head", { headBlock: 90 }, { headBlock: 50, isFinished: true }],
  ])("switches to an earlier block when %s", async (_, one, two) => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    hosting.play(idOf("One"), one);
    await subgraph.offer(edit("Two"));
    hosting.play(idOf("Two"), { headBlock: 40 });
    await subgraph.look();
    expect(await answering()).toBe(idOf("One"));
    hosting.play(idOf("Two"), two);
    await subgraph.look();
    expect(await answering()).toBe(idOf("Two"));
  });

  it("reports each reason for which a build waits once", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    for (const waitsFor of ["no state of block 6", "no state of block 6", "the connection was refused"]) {
      hosting.play(idOf("One"), { waitsFor });
      await subgraph.look();
      hosting.play(idOf("One"), {});
      await subgraph.look();
    }
    await subgraph.offer(edit("Two"));
    hosting.play(idOf("Two"), { waitsFor: "no state of block 6" });
    await subgraph.look();
    expect(events.filter(({ kind }) => kind === "waiting")).toEqual([
      { kind: "waiting", answers: true, why: "no state of block 6" },
      { kind: "waiting", answers: true, why: "the connection was refused" },
      { kind: "waiting", answers: false, why: "no state of block 6" },
    ]);
  });

  it("drops a build that has not caught up when the next edit arrives, even an undo", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    hosting.play(idOf("One"), { headBlock: 90 });
    await subgraph.offer(edit("Two"));
    await subgraph.offer(edit("Three"));
    expect([...hosting.running].sort()).toEqual([idOf("One"), idOf("Three")].sort());
    await subgraph.offer(edit("One"));
    expect([...hosting.running]).toEqual([idOf("One")]);
    expect(events.map(({ kind }) => kind)).toEqual(["indexing", "indexing", "indexing", "unchanged"]);
  });

  it("keeps answering from the old build when the new one fails, and reports that once", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    hosting.play(idOf("One"), { headBlock: 90 });
    await subgraph.offer(edit("Two"));
    const error = { message: "it aborted", block: 95 };
    hosting.play(idOf("Two"), { headBlock: 94, fatalError: error });
    await subgraph.look();
    await subgraph.look();
    expect(await answering()).toBe(idOf("One"));
    expect(events.slice(2)).toEqual([{ kind: "failed", deployment: idOf("Two"), answers: false, error }]);
    await subgraph.offer(edit("Three"));
    hosting.play(idOf("Three"), { headBlock: 96 });
    await subgraph.look();
    expect([await answering(), [...hosting.running]]).toEqual([idOf("Three"), [idOf("Three")]]);
  });

  it("changes nothing when the engine refuses a build", async () => {
    const subgraph = open();
    await subgraph.offer(edit("One"));
    const refused = { ...edit("Two"), files: new Map([...edit("Two").files, ["refused", new Uint8Array()]]) };
    await expect(subgraph.offer(refused)).rejects.toThrow("the engine refuses it");
    expect([await answering(), hosting.running.size]).toEqual([idOf("One"), 1]);
    await subgraph.look();
  });

  it("continues with the answering build after a restart, and drops the others", async () => {
    await open().offer(edit("One"));
    hosting.play(idOf("One"), { headBlock: 90, isSynced: true });
    await open().offer(edit("Two"));
    events = [];
    const again = open();
    await again.offer(edit("One"));
    await again.look();
    expect([...hosting.running]).toEqual([idOf("One")]);
    expect(events).toEqual([{ kind: "unchanged" }, { kind: "synced", block: 90 }]);
    await again.drop();
    expect([await answering(), hosting.running.size]).toEqual([undefined, 0]);
  });
});
