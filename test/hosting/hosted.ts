import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import type { World } from "../../src/base/world.js";
import type { Compilation } from "../../src/exports/index.js";
import {
  createEmbeddedEngine,
  type EmbeddedLimits,
} from "../../src/hosting/embedded/create-embedded-engine.js";
import type { LeaseTimes } from "../../src/hosting/embedded/leases.js";
import type { Engine, HostedStatus, Hosting } from "../../src/hosting/engine.js";
import { createProject } from "../../src/platform/people/projects.js";
import { createHosting } from "../../src/platform/subgraphs/create-hosting.js";
import { addVersion } from "../../src/platform/subgraphs/versions.js";
import { readQueryBody } from "../../src/query/query-body.js";
import type { VerifyMode } from "../../src/runtime/indexer/verification.js";
import { type Database, SQL } from "../../src/store/database/database.js";
import { migrate } from "../../src/store/database/migrate.js";
import { collectBuild } from "../../src/subgraph/collect-build.js";
import { linkBuild } from "../../src/subgraph/deployment/link-build.js";
import { zipBuild } from "../../src/subgraph/zip-build.js";
import { buildTokens, deployFactory, tokenOf } from "../runtime/token-subgraph.js";
import type { Anvil, Contract } from "../support/chain/anvil.js";
import { realWorld } from "../support/worlds.js";

export const project = "project_1";

/** What a server is told to host. */
export interface Bundle {
  readonly deployment: string;
  readonly zip: Uint8Array;
  /** What the manifest says; `mainnet` by default. */
  readonly network?: string;
}

/** The zip of what was built, as `deploy` sends it. */
export function bundleOf({ files }: Pick<Compilation, "files">, manifest = "build/subgraph.yaml"): Bundle {
  const build = collectBuild({ manifest, files });
  return { deployment: linkBuild(build).deploymentId, zip: zipBuild(build) };
}

/** A hosting as a server has it. */
export interface Host {
  readonly database: Database;
  readonly hosting: Hosting;
  readonly engine: Engine;
  /** Adds a version to the catalog, and has the engine follow. */
  deploy(bundle: Bundle, version?: string): Promise<void>;
  status(deployment: string): Promise<HostedStatus | undefined>;
  /** The data that a query is answered with. */
  query(deployment: string, query: string): Promise<unknown>;
  /** The texts of a log's lines, oldest first. */
  log(deployment: string): Promise<readonly string[]>;
}

/** How a test hosts. */
export interface HostOptions {
  readonly database: Database;
  readonly address?: string;
  /** Of one network, or by networks. */
  readonly nodes: readonly string[] | ReadonlyMap<string, readonly string[]>;
  /** What a list of nodes is said to be of; mainnet by default, as nearly all that tests deploy. */
  readonly network?: string;
  readonly verify?: VerifyMode;
  /** The real one by default. */
  readonly world?: World;
  readonly limits?: Partial<EmbeddedLimits>;
  readonly leaseTimes?: LeaseTimes;
  /** Gets the lines of the server's own log. */
  readonly say?: (level: string, text: string) => void;
}

/**
 * Hosts, with a database that may be empty or have been used before. It is closed when the test ends: a hook of this
 * module would be one of the first file alone that loads it.
 */
export async function host({
  database,
  address,
  nodes,
  network = "mainnet",
  verify,
  world = realWorld,
  limits = {},
  leaseTimes,
  say,
}: HostOptions): Promise<Host> {
  await migrate(database);
  const engine = createEmbeddedEngine({
    database,
    ...(address !== undefined && { address }),
    world,
    nodes: nodes instanceof Map ? nodes : new Map([[network, [...nodes]]]),
    ...(verify && { verify }),
    limits: { pollInterval: 30, ...limits },
    ...{ leaseTimes, say },
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
          ...{ project, name: "test", version, deployment, bundle: zip },
          ...{ network, engine: "embedded", description: null },
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
  onTestFinished(() => hosting.close());
  return made;
}

/** Waits until something is as it should be. */
export async function until<Result>(
  what: string,
  ask: () => Promise<Result>,
  isSo: (result: Result) => boolean,
): Promise<Result> {
  for (let attempt = 0; attempt < 5_000; attempt++) {
    const result = await ask();
    if (isSo(result)) return result;
    await sleep(20);
  }
  throw new Error(`it never was so: ${what}; in the end: ${JSON.stringify(await ask())}`);
}

/** A factory on the chain with one token, and the subgraph of it. */
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

/** Compiled once: the code does not know the address. */
let plain: Promise<Compilation> | undefined;
const anyAddress = "0x00000000000000000000000000000000000000aa";

/** A handler that fails with the first move. */
export const failing = {
  calls: { failed: { name: "fail" } },
  entities: { Balance: { "amount uint256": "calls.failed!" } },
};

/** Waits until a deployment has come to the chain's head. */
export async function indexed(made: Host, { deployment }: Bundle): Promise<void> {
  await until(
    "it is at the head",
    () => made.status(deployment),
    (status) =>
      status?.headBlock !== undefined && status.headBlock === status.chainHeadBlock && status.isSynced,
  );
}

/** What was moved, as it is answered; nothing before there are answers. */
export function amounts(made: Host, { deployment }: Bundle): () => Promise<readonly string[]> {
  return async () => {
    const data = (await made.query(deployment, "{ moveds { amount } }")) as
      | { moveds: readonly { amount: string }[] }
      | undefined;
    return data?.moveds.map(({ amount }) => amount) ?? [];
  };
}
