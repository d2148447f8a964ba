import { onTestFinished } from "vitest";
import type { World } from "../../src/base/world.js";
import type { Compilation } from "../../src/exports/index.js";
import {
  createEmbeddedEngine,
  type EmbeddedEngineOptions,
  type EmbeddedLimits,
} from "../../src/hosting/embedded/create-embedded-engine.js";
import type { LeaseTimes } from "../../src/hosting/embedded/leases.js";
import { sharedSources } from "../../src/hosting/embedded/turns/shared-source.js";
import type { Engine, HostedStatus, Hosting } from "../../src/hosting/engine.js";
import { createProject } from "../../src/platform/people/projects.js";
import { createHosting } from "../../src/platform/subgraphs/create-hosting.js";
import { addVersion } from "../../src/platform/subgraphs/versions.js";
import { readQueryBody } from "../../src/query/query-body.js";
import { Nodes } from "../../src/rpc/nodes.js";
import type { VerifyMode } from "../../src/runtime/indexer/logs/verification.js";
import type { SourcePlace } from "../../src/runtime/sources/create-source.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { zipBuild } from "../../src/subgraph/zip-build.js";
import { buildTokens, deployFactory, tokenOf } from "../runtime/token-subgraph.js";
import type { Anvil, Contract } from "../support/chain/anvil.js";
import { untilHolds } from "../support/until.js";
import { realWorld } from "../support/worlds.js";

export const project = "project_1";

/** A build for a server to host. */
export interface Bundle {
  readonly deployment: string;
  readonly zip: Uint8Array;
  /** The manifest's network, `mainnet` by default. */
  readonly network?: string;
}

/** The zip of a build, as `deploy` sends it. */
export function bundleOf({ files }: Pick<Compilation, "files">, manifest = "build/subgraph.yaml"): Bundle {
  const build = collectBuild({ manifest, files });
  return { deployment: linkBuild(build).deploymentId, zip: zipBuild(build) };
}

/** A hosting with the parts that a server has. */
export interface Host {
  readonly database: Database;
  readonly hosting: Hosting;
  readonly engine: Engine;
  /** Adds a version to the catalog and lets the engine follow. */
  deploy(bundle: Bundle, version?: string): Promise<void>;
  status(deployment: string): Promise<HostedStatus | undefined>;
  /** Runs a query and returns the data of its answer. */
  query(deployment: string, query: string): Promise<unknown>;
  /** The texts of the log's lines, oldest first. */
  log(deployment: string): Promise<readonly string[]>;
}

/** The settings of a hosting. */
export interface HostOptions {
  readonly database: Database;
  readonly address?: string;
  /** The nodes of one network, or nodes by network. */
  readonly nodes: readonly string[] | ReadonlyMap<string, readonly string[]>;
  /** The network of a list of nodes: mainnet by default, as in nearly all tests. */
  readonly network?: string;
  readonly verify?: VerifyMode;
  readonly archive?: EmbeddedEngineOptions["archive"];
  readonly histories?: ReadonlyMap<string, SourcePlace>;
  /** The real world by default. */
  readonly world?: World;
  readonly limits?: Partial<EmbeddedLimits>;
  /** Milliseconds between polls of the chain head. */
  readonly pollInterval?: number;
  readonly leaseTimes?: LeaseTimes;
  /** Receives the lines of the server's own log. */
  readonly say?: (level: string, text: string) => void;
}

/**
 * Starts a hosting on a database that may be empty or used. The test's end closes it, because a hook of this module
 * would run only for the first file that loads it.
 */
export async function host({
  database,
  address,
  nodes,
  network = "mainnet",
  verify,
  archive,
  histories,
  world = realWorld,
  limits = {},
  pollInterval = 30,
  leaseTimes,
  say,
}: HostOptions): Promise<Host> {
  await migrate(database);
  const addresses = nodes instanceof Map ? nodes : new Map([[network, [...nodes]]]);
  const shared = new Nodes(addresses, world, { pollInterval, say });
  const engine = createEmbeddedEngine({
    database,
    ...(address !== undefined && { address }),
    world,
    nodes: shared,
    ...(verify && { verify }),
    limits,
    archive,
    ...(histories && { histories: sharedSources(histories, world) }),
    leaseTimes,
    say,
  });
  const hosting = createHosting({ database, engines: [engine], world, interval: 500 });
  const made: Host = {
    database,
    hosting,
    engine,
    deploy: async ({ deployment, zip, network = "mainnet" }, version = "1.0.0") => {
      const known = await database.query(SQL`select from graphloom.projects`);
      if (known.length === 0) await createProject(database, { id: project, name: "test" });
      await database.transaction((sql) =>
        addVersion(sql, {
          project,
          name: "test",
          version,
          deployment,
          bundle: zip,
          network,
          engine: "embedded",
          description: null,
        }),
      );
      await hosting.reconcile();
    },
    status: async (deployment) => (await engine.status([deployment])).get(deployment),
    query: async (deployment, query) =>
      JSON.parse((await engine.answer(deployment, readQueryBody(JSON.stringify({ query })))).body).data,
    log: async (deployment) =>
      (await engine.logs(deployment, { direction: "asc", limit: 1_000 })).lines.map(({ text }) => text),
  };
  onTestFinished(async () => {
    await hosting.close();
    shared.close();
  });
  return made;
}

/** Waits until a condition holds, and names it if it never does. */
export function until<Result>(
  what: string,
  ask: () => Promise<Result>,
  isSo: (result: Result) => boolean,
): Promise<Result> {
  return untilHolds(async () => {
    const result = await ask();
    if (isSo(result)) return result;
    throw new Error(`this never held: ${what}; the last result: ${JSON.stringify(result)}`);
  });
}

/** Deploys a factory with one token, and builds its subgraph. */
export async function tokens(chain: Anvil, handler?: object): Promise<{ token: Contract; bundle: Bundle }> {
  const factory = await deployFactory(chain);
  await chain.send(factory, "make", [1]);
  if (!handler) plain ??= buildTokens(anyAddress);
  const { files } = await (handler || !plain ? buildTokens(anyAddress, handler) : plain);
  const path = "build/subgraph.yaml";
  const manifest = String(files.get(path)).replaceAll(anyAddress, factory.address);
  const bundle = bundleOf({ files: new Map([...files, [path, manifest]]) });
  return { token: await tokenOf(chain, factory, 0), bundle };
}

/** Compiled only once, because the code does not contain the address. */
let plain: Promise<Compilation> | undefined;
const anyAddress = "0x00000000000000000000000000000000000000aa";

/** A handler that fails on the first transfer. */
export const failing = {
  calls: { failed: { name: "fail" } },
  entities: { Balance: { "amount uint256": "calls.failed!" } },
};

/** Waits until a deployment reaches the chain's head. */
export async function indexed(made: Host, { deployment }: Bundle): Promise<void> {
  await until(
    "it is at the head",
    () => made.status(deployment),
    (status) =>
      status?.headBlock !== undefined && status.headBlock === status.chainHeadBlock && status.isSynced,
  );
}

/** The transfers that a query returns, or nothing before it can be answered. */
export function amounts(made: Host, { deployment }: Bundle): () => Promise<readonly string[]> {
  return async () => {
    const data = (await made.query(deployment, "{ moveds { amount } }")) as
      | { moveds: readonly { amount: string }[] }
      | undefined;
    return data?.moveds.map(({ amount }) => amount) ?? [];
  };
}
