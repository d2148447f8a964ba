import { AsyncLocalStorage } from "node:async_hooks";
import { once } from "node:events";
import { beforeAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createEmbeddedEngine } from "../../../src/hosting/embedded/create-embedded-engine.js";
import type { RunningThread, ThreadJob } from "../../../src/hosting/embedded/deployment-thread.js";
import { indexDeployment } from "../../../src/hosting/embedded/index-deployment.js";
import { Pulse } from "../../../src/hosting/embedded/pulse.js";
import { ThreadLog } from "../../../src/hosting/embedded/thread-log.js";
import { createThreadWorld } from "../../../src/hosting/embedded/thread-world.js";
import { createHosting } from "../../../src/platform/subgraphs/create-hosting.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import type { Database } from "../../../src/store/database/database.js";
import { blocksBundle } from "../../hosting/blocks.js";
import type { Bundle } from "../../hosting/hosted.js";
import { emptyChain } from "../../support/chain/empty-chain.js";
import { onPglite } from "../../support/database/databases.js";
import { deployForm, startPlatform, type TestPlatform } from "../../support/server/platform-server.js";
import { realWorld } from "../../support/worlds.js";

/** The reader: the server or the indexing thread, which shares no values with the server. */
type Reader = "server" | "thread";

/** The number of parses, by reader. `entities` counts how often types were built from a schema's syntax tree. */
const { counts, readers } = vi.hoisted(() => ({
  counts: new Map<string, number>(),
  readers: { current: (): string => "server" },
}));
const inThread = new AsyncLocalStorage<Reader>();
readers.current = () => inThread.getStore() ?? "server";

function counted<Args extends readonly unknown[], Result>(
  what: string,
  parse: (...args: Args) => Result,
  isMeant: (...args: Args) => boolean = () => true,
): (...args: Args) => Result {
  return (...args) => {
    const key = `${readers.current()}: ${what}`;
    if (isMeant(...args)) counts.set(key, (counts.get(key) ?? 0) + 1);
    return parse(...args);
  };
}

vi.mock("yaml", async (load) => {
  const yaml = await load<typeof import("yaml")>();
  return { ...yaml, parseDocument: counted("manifest", yaml.parseDocument) };
});
vi.mock("graphql", async (load) => {
  const graphql = await load<typeof import("graphql")>();
  return {
    ...graphql,
    parse: counted("schema", graphql.parse, (source) => String(source).includes("type Note @entity")),
  };
});
vi.mock("../../../src/subgraph/schema/check-names.js", async (load) => {
  const names = await load<typeof import("../../../src/subgraph/schema/check-names.js")>();
  return { ...names, checkNames: counted("entities", names.checkNames) };
});

const askNode = emptyChain(3);
const databases = onPglite();
let bundle: Bundle;
// The compiler is slow to start.
beforeAll(async () => {
  bundle = await blocksBundle("keep");
});
beforeEach(() => counts.clear());

const single = { manifest: 1, schema: 1, entities: 1 };
const nothing = { manifest: 0, schema: 0, entities: 0 };

/** The number of parses by the server and by the thread. */
function read(): Readonly<Record<Reader, typeof nothing>> {
  const of = (reader: Reader) => ({
    manifest: counts.get(`${reader}: manifest`) ?? 0,
    schema: counts.get(`${reader}: schema`) ?? 0,
    entities: counts.get(`${reader}: entities`) ?? 0,
  });
  return { server: of("server"), thread: of("thread") };
}

it("a build is read once by the server that receives it, and once by the thread that indexes it", async () => {
  const database = await databases.fresh();
  const { server, firstBlock } = await start(database);
  const deployed = await server.ask("/subgraphs/blocks/deployments/1.0.0", {
    method: "PUT",
    form: deployForm(bundle.zip),
  });
  expect(deployed.status).toBe(201);
  await firstBlock;
  expect(read()).toEqual({ server: single, thread: single });
  await server.close();

  // After a restart, the next server reads the build from the catalog.
  counts.clear();
  const next = await start(database);
  await next.firstBlock;
  expect(read()).toEqual({ server: { ...nothing, manifest: 1 }, thread: single });
  await next.server.close();
});

it("a build whose start block is changed has its manifest read before and after the change", async () => {
  const database = await databases.fresh();
  const { server, firstBlock } = await start(database);
  const deployed = await server.ask("/subgraphs/blocks/deployments/1.0.0", {
    method: "PUT",
    form: deployForm(bundle.zip, { start_block: "1" }),
  });
  expect(deployed.status).toBe(201);
  await firstBlock;
  expect(read()).toEqual({ server: { ...single, manifest: 2 }, thread: single });
  await server.close();
});

/** A server that indexes in its own thread; an async context tells the two readers apart. */
async function start(
  database: Database,
): Promise<{ readonly server: TestPlatform; readonly firstBlock: Promise<void> }> {
  const askingNode = { ...realWorld, fetch: askNode };
  const nodes = new Nodes(new Map([["mainnet", ["http://node.test"]]]), askingNode);
  onTestFinished(() => nodes.close());
  const engine = createEmbeddedEngine({
    database,
    world: askingNode,
    nodes,
    startThread: (job) => inThread.run("thread", () => threadHere(job, database)),
  });
  const firstBlock = new Promise<void>((resolve) => {
    engine.onChange(({ headBlock }) => {
      if (headBlock !== undefined) resolve();
    });
  });
  const server = await startPlatform(database, {
    createHosting: async () =>
      createHosting({ database, engines: [engine], world: realWorld, interval: 60_000 }),
  });
  return { server, firstBlock };
}

function threadHere(job: ThreadJob, database: Database): RunningThread {
  const stop = new AbortController();
  const { signal } = stop;
  const ended = indexDeployment({
    deployment: job.deployment,
    build: job.build,
    nodeName: job.nodeName,
    mayRead: job.mayRead,
    database,
    signal,
    files: undefined,
    verify: "bloom",
    proofs: true,
    log: new ThreadLog(() => 0),
    world: createThreadWorld(askNode, signal),
    pulse: new Pulse(),
    tell: (news) => {
      if (
        news.kind !== "handler" &&
        news.kind !== "ended" &&
        news.kind !== "may-read" &&
        news.kind !== "turn"
      )
        job.hear(news);
    },
    waitForBlocks: async () => void (signal.aborted || (await once(signal, "abort"))),
  });
  return {
    ended,
    check: () => undefined,
    stop: async () => {
      stop.abort();
      await ended;
    },
  };
}
