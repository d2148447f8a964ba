import { onTestFinished } from "vitest";
import { createGraphNodeAdmin, type GraphNodeAdmin } from "../../../src/deploy/graph-node/admin.js";
import { readEngineOption } from "../../../src/hosting/graph-node/read-addresses.js";
import { metricsPart } from "../../../src/platform/metrics/metrics-part.js";
import { createServerMetrics } from "../../../src/platform/metrics/server-metrics.js";
import { openHosting } from "../../../src/platform/open-hosting.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { findOwner } from "../../../src/platform/people/first-project.js";
import type { RunningServer } from "../../../src/platform/serve.js";
import { serverParts } from "../../../src/platform/server-parts.js";
import type { Database } from "../../../src/store/database/database.js";
import { openPglite } from "../../../src/store/database/pglite/pglite-database.js";
import { type Adjustments, adjustBuild } from "../../../src/subgraph/adjust-build.js";
import type { Build } from "../../../src/subgraph/build.js";
import { collectBuild } from "../../../src/subgraph/collect-build.js";
import { linkBuild } from "../../../src/subgraph/deployment/link-build.js";
import { unzipBundle } from "../../../src/subgraph/unzip-bundle.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { images } from "../../support/compiler/shared-cache.js";
import { addressOf, openServerDatabase, type TestDatabases } from "../../support/database/databases.js";
import { postgresMissing } from "../../support/database/postgres-server.js";
import { json, startDouble } from "../../support/network/double-server.js";
import { type GraphNodeDouble, startGraphNodeDouble } from "../../support/network/graph-node-double.js";
import { startIpfsDouble } from "../../support/network/ipfs-double.js";
import { startValve, type Valve } from "../../support/network/valve.js";
import { readExposition, type Sample } from "../../support/server/exposition.js";
import {
  deployForm,
  startPlatform,
  type TestAnswer,
  type TestPlatform,
} from "../../support/server/platform-server.js";
import { realWorld } from "../../support/worlds.js";
import { blocksBundle } from "../blocks.js";

/**
 * `graph-node=<admin>,<status>,<query>,<ipfs>` of a graph-node that tests may use freely. It indexes a chain as
 * `mainnet` that has at least 400 blocks and gets a new block every few seconds.
 */
export const realGraphNode = process.env.GRAPHLOOM_GRAPH_NODE;

/** The addresses of a graph-node. */
export interface Doors {
  readonly admin: string;
  readonly status: string;
  readonly query: string;
  readonly ipfs: string;
}

/** A graph-node that tests are run against. */
export interface Subject {
  readonly doors: Doors;
  /** The admin interface, as an operator uses it. */
  readonly operator: GraphNodeAdmin;
  /** Queries the status interface and returns the data of its answer. */
  tell(query: string, variables?: object): Promise<Record<string, unknown>>;
  /** Queries the status interface and returns the whole answer. */
  ask(query: string, variables?: object): Promise<StatusAnswer>;
  /** Set only if the graph-node is simulated. */
  readonly double?: GraphNodeDouble;
}

/** An answer of the status interface. */
export interface StatusAnswer {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly { readonly message: string }[];
}

/** A simulated graph-node that keeps its state as a real one does. Its chain has 1,000 blocks. */
export async function playedSubject(): Promise<Subject> {
  const ipfs = await startIpfsDouble();
  const double = await startGraphNodeDouble(ipfs, { step: 400, head: 1000, checksStart: true });
  onTestFinished(async () => {
    await Promise.all([double.stop(), ipfs.stop()]);
  });
  const doors = {
    admin: double.admin.url,
    status: double.statusUrl,
    query: double.queries.url,
    ipfs: ipfs.url,
  };
  return { ...subjectAt(doors), double };
}

/** The real graph-node that `GRAPHLOOM_GRAPH_NODE` names. */
export async function realSubject(): Promise<Subject> {
  const found = readEngineOption(realGraphNode?.replace(/^(?!graph-node=)/, "graph-node=") ?? "");
  if (!found) throw new Error("GRAPHLOOM_GRAPH_NODE must be <admin>,<status>,<query>,<ipfs>");
  return subjectAt(found);
}

function subjectAt(doors: Doors): Subject {
  const ask = async (query: string, variables: object = {}): Promise<StatusAnswer> => {
    const answer = await fetch(doors.status, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ query, variables }),
    });
    return (await answer.json()) as StatusAnswer;
  };
  return {
    doors,
    operator: createGraphNodeAdmin(doors.admin, realWorld),
    ask,
    tell: async (query, variables) => (await ask(query, variables)).data ?? {},
  };
}

/** Calls a method of the admin interface that the program itself never calls. */
export async function call({ doors }: Subject, method: string, params: object): Promise<unknown> {
  const answer = await fetch(doors.admin, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: "1", method, params }),
  });
  return answer.json();
}

/** Returns a deployment's place at the graph-node, or nothing if the graph-node does not have it. */
export async function placeOf(
  subject: Subject,
  deployment: string,
): Promise<{ readonly node: string | null; readonly paused: boolean | null } | undefined> {
  const query = "query ($ids: [String!]) { indexingStatuses(subgraphs: $ids) { node paused } }";
  const { indexingStatuses } = await subject.tell(query, { ids: [deployment] });
  return (indexingStatuses as { node: string | null; paused: boolean | null }[])[0];
}

/** An address that refuses connections. */
export async function closedDoor(): Promise<string> {
  const double = await startDouble(() => json({}));
  await double.stop();
  return double.url;
}

/** Puts valves in front of a graph-node's addresses, except IPFS. */
export async function valved(doors: Doors): Promise<{ doors: Doors; shut(): void; open(): void }> {
  const [admin, status, query] = await Promise.all(
    [doors.admin, doors.status, doors.query].map((url) => startValve(url)),
  );
  const all = [admin, status, query].filter((valve): valve is Valve => valve !== undefined);
  onTestFinished(async () => {
    await Promise.all(all.map((valve) => valve.stop()));
  });
  return {
    doors: { ...doors, admin: admin?.url ?? "", status: status?.url ?? "", query: query?.url ?? "" },
    shut: () => {
      for (const valve of all) valve.shut();
    },
    open: () => {
      for (const valve of all) valve.open();
    },
  };
}

/** Addresses that lead first to one graph-node and then to another, as if a graph-node was set up anew. */
export async function led(doors: Doors): Promise<{ doors: Doors; lead(doors: Doors): void }> {
  const [admin, status, query, ipfs] = await Promise.all([
    startValve(doors.admin),
    startValve(doors.status),
    startValve(doors.query),
    startValve(doors.ipfs),
  ]);
  onTestFinished(async () => {
    await Promise.all([admin.stop(), status.stop(), query.stop(), ipfs.stop()]);
  });
  return {
    doors: { admin: admin.url, status: status.url, query: query.url, ipfs: ipfs.url },
    lead(others) {
      admin.lead(others.admin);
      status.lead(others.status);
      query.lead(others.query);
      ipfs.lead(others.ipfs);
    },
  };
}

/** A server whose only engine is a graph-node. */
export interface Beside extends TestPlatform {
  readonly database: Database;
  /** The lines of its own log. */
  readonly said: readonly string[];
  deploy(name: string, build: Build, fields?: Readonly<Record<string, string>>): Promise<TestAnswer>;
  /** Returns a version as the API shows it, with its only deployment. */
  show(name: string): Promise<Shown>;
  /** @param below the path after the address of the version's page */
  page(name: string, below?: string): Promise<string>;
  metrics(): Promise<readonly Sample[]>;
  /** Queries `/index-node/graphql`. */
  indexNode(query: string): Promise<{ readonly data?: Record<string, unknown>; readonly errors?: unknown }>;
  log(name: string): Promise<readonly string[]>;
}

/** A version as the API shows it. */
export interface Shown {
  readonly status: string;
  readonly health: string;
  readonly synced: boolean;
  readonly deployments: readonly {
    readonly deployment_id: string;
    readonly health: string;
    readonly fatal_error: string | null;
    readonly non_fatal_errors: readonly string[];
    readonly indexing_progress?: {
      readonly deployment_start_block: number;
      readonly deployment_head_block: number;
      readonly chain_head_block: number;
    };
  }[];
}

/** Real timeouts for answers, and pauses that take a tenth of their time. */
const quick = {
  ...realWorld,
  timeout: (milliseconds: number) =>
    realWorld.timeout(milliseconds === 4_000 ? 1_500 : Math.ceil(milliseconds / 10)),
  sleep: (milliseconds: number) => realWorld.sleep(Math.ceil(milliseconds / 10)),
};

let databases: TestDatabases | undefined;

/** Sets the databases of servers that are not given one. Called by each file, at its top. */
export function useDatabases(given: TestDatabases): void {
  databases = given;
}

/** Returns an empty database. Tests take turns with the first one. */
export async function anotherDatabase(): Promise<Database> {
  const database =
    postgresMissing === undefined
      ? await openServerDatabase()
      : await openPglite(undefined, realWorld, images);
  onTestFinished(() => database.close());
  return database;
}

/** Starts a server in front of a graph-node. @param database a used or a fresh database */
export async function startBeside(doors: Doors, given?: Database): Promise<Beside> {
  const database = given ?? (await databases?.fresh());
  if (!database) throw new Error("the file does not call useDatabases");
  const said: string[] = [];
  const metrics = createServerMetrics();
  const codes = createSignInCodes(realWorld);
  const { admin, status, query, ipfs } = doors;
  const platform = await startPlatform(database, {
    createHosting: (nodes) =>
      openHosting(
        database,
        nodes,
        {
          database: addressOf(database) ?? "nowhere",
          verify: "bloom",
          graphNode: { admin, status, query, ipfs },
        },
        { world: quick, say: (level, text) => said.push(`${level} ${text}`) },
      ),
    parts: [
      ...serverParts({ codes, accounts: createAccounts(realWorld) }, { publicRate: null }),
      metricsPart(metrics, { isOpen: true }),
    ],
  });
  const owner = await findOwner(database);
  const signedIn = await fetch(`${platform.address}/sign-in?code=${codes.issue(owner?.id ?? "")}`, {
    redirect: "manual",
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(";")[0])
    .join("; ");
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await (platform as RunningServer).close();
  };
  onTestFinished(close);
  return {
    ...platform,
    database,
    said,
    close,
    deploy: (name, build, fields = {}) =>
      platform.ask(`/subgraphs/${name}/deployments/1.0.0`, {
        method: "PUT",
        form: deployForm(zipBuild(build), fields),
      }),
    show: async (name) => (await platform.ask(`/subgraphs/${name}/1.0.0`)).json.data[0],
    page: async (name, below = "") =>
      (await fetch(`${platform.address}/dashboard/${name}/1.0.0${below}`, { headers: { cookie } })).text(),
    metrics: async () => readExposition((await platform.ask(`${platform.address}/metrics`)).text),
    indexNode: async (asked) =>
      (
        await platform.ask(`${platform.address}/index-node/graphql`, {
          method: "POST",
          body: { query: asked },
        })
      ).json,
    log: async (name) =>
      (await platform.ask(`/subgraphs/${name}/1.0.0/logs?direction=asc`)).json.data.results.map(
        ({ text }: { text: string }) => text,
      ),
  };
}

const compiled = new Map<string, Promise<Build>>();

function compiledWith(handler: string): Promise<Build> {
  const made =
    compiled.get(handler) ??
    blocksBundle(handler).then(async ({ zip }) =>
      collectBuild({ manifest: "subgraph.yaml", files: await unzipBundle(zip) }),
    );
  compiled.set(handler, made);
  return made;
}

/** A build with a handler for every block, which graph-node accepts. @param description makes the build unique */
export async function buildOf(description: string, change: Adjustments = {}): Promise<Build> {
  return adjustBuild(await compiledWith("keep"), { description: `${runOf} ${description}`, ...change });
}

/** A build that fails at block 64 on every attempt. */
export async function failingBuild(description: string): Promise<Build> {
  return adjustBuild(await compiledWith("balk"), { description: `${runOf} ${description}`, startBlock: 1 });
}

/** Makes the builds of every run unique, so that a real graph-node knows none of them. */
const runOf = realGraphNode === undefined ? "run" : `run ${Date.now()}`;

/** The id of a build. */
export function idOf(build: Build): string {
  return linkBuild(build).deploymentId;
}

/** The same build for another network. */
export function onNetwork({ files }: Build, network: string): Build {
  const manifest = new TextDecoder().decode(files.get("subgraph.yaml")).replaceAll("mainnet", network);
  return collectBuild({
    manifest: "subgraph.yaml",
    files: new Map<string, string | Uint8Array>([...files, ["subgraph.yaml", manifest]]),
  });
}
