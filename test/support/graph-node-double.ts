import { buildSchema, graphqlSync } from "graphql";
import { parse } from "yaml";
import {
  type DoubleAnswer,
  type DoubleServer,
  json,
  type ReceivedRequest,
  startDouble,
} from "./double-server.js";
import type { IpfsDouble } from "./ipfs-double.js";

/** A small graph-node: its admin interface and its status interface. It indexes nothing, but says so. */
export interface GraphNodeDouble {
  readonly admin: DoubleServer;
  readonly status: DoubleServer;
  /** Its queries, which answer with what they were asked. */
  readonly queries: DoubleServer;
  /** Address of the status interface, with its path. */
  readonly statusUrl: string;
  /** Every call of the admin interface that was understood. */
  readonly calls: readonly AdminCall[];
  /** The deployments of a name: the last one is the newest. */
  readonly subgraphs: ReadonlyMap<string, readonly string[]>;
  readonly deployments: ReadonlyMap<string, DeploymentState>;
  /** Changes how a deployment is doing. */
  set(id: string, change: Partial<DeploymentState>): void;
  stop(): Promise<void>;
}

export interface AdminCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** How a deployment is doing. */
export interface DeploymentState {
  readonly network: string;
  readonly block: number | undefined;
  readonly head: number;
  readonly fatal?: { readonly message: string; readonly deterministic: boolean } | undefined;
  /** What health is said to be; `failed` with a fatal error and else `healthy`. */
  readonly health?: string | undefined;
  readonly paused?: boolean;
  readonly nonFatal?: readonly string[];
}

export interface GraphNodeOptions {
  readonly networks?: readonly string[];
  /** Number of the newest block. */
  readonly head?: number;
  /** Blocks that a deployment advances each time it is looked at. */
  readonly step?: number;
  /** What stands before `/subgraphs/name/…` in answers. */
  readonly base?: string;
}

class Refusal extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Starts a graph-node that gets its files from an IPFS node. */
export async function startGraphNodeDouble(
  ipfs: IpfsDouble,
  options: GraphNodeOptions = {},
): Promise<GraphNodeDouble> {
  const { networks = ["mainnet"], head = 1000, step = 500, base = ":8000" } = options;
  const calls: AdminCall[] = [];
  const subgraphs = new Map<string, string[]>();
  const deployments = new Map<string, DeploymentState>();

  const setPaused = (id: string, paused: boolean): null => {
    const state = deployments.get(id);
    if (!state) throw new Refusal(paused ? 4 : 5, `deployment not found: ${id}`);
    deployments.set(id, { ...state, paused });
    return null;
  };

  const methods: Record<string, (params: Readonly<Record<string, unknown>>) => unknown> = {
    subgraph_create({ name }) {
      checkName(name);
      if (subgraphs.has(name)) throw new Refusal(2, `subgraph already exists: ${name}`);
      subgraphs.set(name, []);
      return { id: `${subgraphs.size}` };
    },
    subgraph_deploy({ name, ipfs_hash: hash }) {
      checkName(name);
      const network = checkManifest(String(hash), ipfs, deployments);
      if (!networks.includes(network)) throw new Refusal(0, `network not supported by registrar: ${network}`);
      const versions = subgraphs.get(name);
      if (!versions) throw new Refusal(0, `subgraph name not found: ${name}`);
      versions.push(String(hash));
      if (!deployments.has(String(hash))) deployments.set(String(hash), { network, block: undefined, head });
      const path = `${base}/subgraphs/name/${name}`;
      return { playground: `${path}/graphql`, queries: path };
    },
    subgraph_remove({ name }) {
      checkName(name);
      const versions = subgraphs.get(name);
      if (!versions) throw new Refusal(1, `subgraph name not found: ${name}`);
      subgraphs.delete(name);
      for (const id of versions) {
        if (![...subgraphs.values()].some((others) => others.includes(id))) deployments.delete(id);
      }
      return null;
    },
    subgraph_pause: ({ deployment }) => setPaused(String(deployment), true),
    subgraph_resume: ({ deployment }) => setPaused(String(deployment), false),
  };

  const admin = await startDouble((request) => answerCall(request, methods, calls));
  const look = (id: string): object | null => {
    const state = deployments.get(id);
    if (!state) return null;
    const view = statusOf(id, state);
    const block = state.fatal || state.paused ? state.block : Math.min((state.block ?? 0) + step, state.head);
    deployments.set(id, { ...state, block });
    return view;
  };
  const version = (name: string, isPending: boolean): object | null => {
    const versions = subgraphs.get(name) ?? [];
    // The first deployment of a name is current at once; a later one is pending until it is synced.
    const id = isPending ? (versions.length > 1 ? versions.at(-1) : undefined) : versions[0];
    return id === undefined ? null : look(id);
  };
  const status = await startDouble((request) =>
    answerQuery(request, {
      indexingStatuses: ({ subgraphs: ids }: { subgraphs?: readonly string[] }) =>
        (ids ?? [...deployments.keys()]).flatMap((id) => look(id) ?? []),
      indexingStatusesForSubgraphName: ({ subgraphName }: { subgraphName: string }) =>
        (subgraphs.get(subgraphName) ?? []).flatMap((id) => look(id) ?? []),
      indexingStatusForCurrentVersion: ({ subgraphName }: { subgraphName: string }) =>
        version(subgraphName, false),
      indexingStatusForPendingVersion: ({ subgraphName }: { subgraphName: string }) =>
        version(subgraphName, true),
    }),
  );
  const queries = await startDouble(({ method, path, body }) => {
    const id = /^\/subgraphs\/id\/(\w+)$/.exec(path)?.[1] ?? "";
    if (method !== "POST") return { status: 200, body: JSON.stringify({ message: "Not found" }) };
    if (!deployments.has(id)) return json({ errors: [{ message: `deployment \`${id}\` does not exist` }] });
    return {
      ...json({ data: { asked: String(body) } }),
      headers: { "graph-attestable": "true", "x-secret": "no" },
    };
  });
  return {
    admin,
    status,
    queries,
    statusUrl: `${status.url}/graphql`,
    calls,
    subgraphs,
    deployments,
    set(id, change) {
      const state = deployments.get(id);
      if (!state) throw new Error(`no deployment ${id}`);
      deployments.set(id, { ...state, ...change });
    },
    async stop() {
      await Promise.all([admin.stop(), status.stop(), queries.stop()]);
    },
  };
}

function answerCall(
  { method, headers, body }: ReceivedRequest,
  methods: Record<string, (params: Readonly<Record<string, unknown>>) => unknown>,
  calls: AdminCall[],
): DoubleAnswer {
  if (method !== "POST" || !headers["content-type"]?.startsWith("application/json")) {
    return { status: 405, body: "Used HTTP Method is not allowed. POST is required\n" };
  }
  const call = JSON.parse(body.toString("utf8")) as { jsonrpc: string; id: unknown } & AdminCall;
  const frame = { jsonrpc: "2.0", id: call.id };
  const run = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (call.jsonrpc !== "2.0") return json({ ...frame, error: { code: -32600, message: "Invalid request" } });
  if (!run) return json({ ...frame, error: { code: -32601, message: "Method not found" } });
  calls.push({ method: call.method, params: call.params });
  try {
    return json({ ...frame, result: run(call.params) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return json({ ...frame, error: { code: error.code, message: error.message } });
  }
}

/** The rules of graph-node for the names of subgraphs. */
function checkName(name: unknown): asserts name is string {
  const parts = typeof name === "string" ? name.split("/") : [];
  const isPart = (part: string): boolean =>
    /^[A-Za-z0-9](?:[A-Za-z0-9_-]*[A-Za-z0-9])?$/.test(part) && /[A-Za-z]/.test(part) && part !== "graphql";
  const fits = parts.length > 0 && parts.every(isPart) && String(name).length <= 255;
  if (fits) return;
  const given = typeof name === "string" ? `string ${JSON.stringify(name)}` : String(name);
  throw new Refusal(-32602, `Invalid params: invalid value: ${given}, expected valid subgraph name`);
}

interface DoubleManifest {
  readonly specVersion?: string;
  readonly features?: readonly string[];
  readonly schema: { readonly file: unknown };
  readonly dataSources: readonly DoubleSource[];
  readonly templates?: readonly DoubleSource[];
  readonly graft?: { readonly base: string; readonly block: number };
}

interface DoubleSource {
  readonly network?: string;
  readonly mapping: { readonly file: unknown; readonly abis: readonly { readonly file: unknown }[] };
}

/** Gets everything a manifest links to; the network. */
function checkManifest(
  hash: string,
  ipfs: IpfsDouble,
  deployments: ReadonlyMap<string, DeploymentState>,
): string {
  const get = (cid: string): string => {
    const bytes = ipfs.held.get(cid);
    if (!bytes) throw new Refusal(0, `subgraph resolve error: resolve error: IPFS timeout: ${cid}`);
    return new TextDecoder().decode(bytes);
  };
  const manifest = parse(get(hash)) as DoubleManifest;
  const sources = [...manifest.dataSources, ...(manifest.templates ?? [])];
  const links = [
    manifest.schema.file,
    ...sources.flatMap(({ mapping }) => [mapping.file, ...mapping.abis.map(({ file }) => file)]),
  ];
  for (const link of links) {
    const target = (link as { "/"?: string })["/"];
    if (target === undefined)
      throw new Refusal(0, `subgraph resolve error: parse error: link ${String(link)}`);
    get(target.replace(/^\/ipfs\//, ""));
  }
  if (manifest.graft) checkGraft(manifest, deployments);
  const named = new Set(manifest.dataSources.flatMap(({ network }) => network ?? []));
  if (named.size !== 1)
    throw new Refusal(0, "subgraph validation error: [subgraph must have a single network]");
  return [...named][0] as string;
}

function checkGraft(
  { graft, features = [] }: DoubleManifest,
  deployments: ReadonlyMap<string, DeploymentState>,
): void {
  const refuse = (why: string): never => {
    throw new Refusal(0, `subgraph validation error: [${why}]`);
  };
  if (!features.includes("grafting"))
    refuse("The feature `grafting` is used by the subgraph but it is not declared");
  const base = deployments.get(graft?.base ?? "");
  const block = graft?.block ?? 0;
  if (base?.block === undefined) refuse("the graft base is invalid: deployment not found");
  else if (block + 250 > base.block)
    refuse(`the graft base is invalid: failed to graft onto \`${graft?.base}\` at block ${block}`);
}

const statusSchema = buildSchema(/* GraphQL */ `
  scalar BigInt
  type Query {
    indexingStatusForCurrentVersion(subgraphName: String!): SubgraphIndexingStatus
    indexingStatusForPendingVersion(subgraphName: String!): SubgraphIndexingStatus
    indexingStatusesForSubgraphName(subgraphName: String!): [SubgraphIndexingStatus!]!
    indexingStatuses(subgraphs: [String!]): [SubgraphIndexingStatus!]!
  }
  enum Health { healthy unhealthy failed }
  type SubgraphIndexingStatus {
    subgraph: String!
    synced: Boolean!
    health: Health!
    fatalError: SubgraphError
    nonFatalErrors: [SubgraphError!]!
    chains: [ChainIndexingStatus!]!
    entityCount: BigInt!
    node: String
    paused: Boolean
    historyBlocks: Int!
  }
  type SubgraphError { message: String! block: Block handler: String deterministic: Boolean! }
  type Block { hash: String! number: BigInt! }
  type ChainIndexingStatus {
    network: String!
    chainHeadBlock: Block
    earliestBlock: Block
    latestBlock: Block
    lastHealthyBlock: Block
  }
`);

function statusOf(
  id: string,
  { network, block, head, fatal, health, paused, nonFatal }: DeploymentState,
): object {
  const at = (number: number | undefined): object | null =>
    number === undefined ? null : { number: `${number}`, hash: `0x${number.toString(16).padStart(64, "0")}` };
  return {
    subgraph: id,
    synced: block !== undefined && block >= head,
    health: health ?? (fatal ? "failed" : "healthy"),
    fatalError: fatal ? { ...fatal, block: at(block), handler: "handleTransfer" } : null,
    nonFatalErrors: (nonFatal ?? []).map((message) => ({
      message,
      handler: "handleSwap",
      deterministic: true,
    })),
    chains: [
      {
        network,
        chainHeadBlock: at(head),
        earliestBlock: at(0),
        latestBlock: at(block),
        lastHealthyBlock: null,
      },
    ],
    entityCount: "0",
    node: "default",
    paused: paused ?? false,
    historyBlocks: 2147483647,
  };
}

function answerQuery({ method, path, body }: ReceivedRequest, rootValue: object): DoubleAnswer {
  if (method !== "POST" || path !== "/graphql") return { status: 404, body: "Not found" };
  const { query, variables } = JSON.parse(body.toString("utf8")) as {
    query: string;
    variables?: Record<string, unknown>;
  };
  return json(
    graphqlSync({ schema: statusSchema, source: query, rootValue, variableValues: variables ?? null }),
  );
}
