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

/**
 * A small graph-node: its admin interface, its status interface and its queries. It indexes nothing, but keeps names,
 * assignments and pauses as graph-node does, and reports them.
 */
export interface GraphNodeDouble {
  readonly admin: DoubleServer;
  readonly status: DoubleServer;
  /** The query endpoint, which answers with the query itself. */
  readonly queries: DoubleServer;
  /** Address of the status interface, with its path. */
  readonly statusUrl: string;
  /** Every valid call of the admin interface. */
  readonly calls: readonly AdminCall[];
  /** The deployments of a name, newest last. */
  readonly subgraphs: ReadonlyMap<string, readonly string[]>;
  readonly deployments: ReadonlyMap<string, DeploymentState>;
  /** Changes the state of a deployment. */
  set(id: string, change: Partial<DeploymentState>): void;
  /** The effect of `graphman unassign`: the names remain, but no node indexes the deployment. */
  unassign(id: string): void;
  /** The clean-up of deployments without a name, which graph-node does after some hours. */
  cleanUp(): void;
  stop(): Promise<void>;
}

export interface AdminCall {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The state of a deployment. */
export interface DeploymentState {
  readonly network: string;
  readonly block: number | undefined;
  readonly head: number;
  readonly fatal?: { readonly message: string; readonly deterministic: boolean } | undefined;
  /** The reported health; by default `failed` with a fatal error, otherwise `healthy`. */
  readonly health?: string | undefined;
  readonly paused?: boolean;
  readonly nonFatal?: readonly string[];
  /** The node that indexes it; null when none does. */
  readonly node?: string | null;
  /** The block before the first one that is indexed; 0 when left out. */
  readonly earliest?: number;
  readonly entities?: number;
}

export interface GraphNodeOptions {
  readonly networks?: readonly string[];
  /** Number of the newest block. */
  readonly head?: number;
  /** Number of blocks that a deployment advances with each status request. */
  readonly step?: number;
  /** The part of URLs before `/subgraphs/name/…` in answers. */
  readonly base?: string;
  /** Whether it waits for files that its IPFS node lacks, as graph-node does for many minutes. Otherwise it refuses. */
  readonly waitsForFiles?: boolean;
  /** Whether the block before the first indexed one must exist. */
  readonly checksStart?: boolean;
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
  const {
    networks = ["mainnet"],
    head = 1000,
    step = 500,
    base = ":8000",
    waitsForFiles,
    checksStart,
  } = options;
  const calls: AdminCall[] = [];
  const subgraphs = new Map<string, string[]>();
  const deployments = new Map<string, DeploymentState>();

  const change = (id: string, more: Partial<DeploymentState>): void => {
    const state = deployments.get(id);
    if (!state) throw new Error(`no deployment ${id}`);
    deployments.set(id, { ...state, ...more });
  };
  const assigned = (id: unknown, code: number): string => {
    const hash = requireText(id, "deployment");
    const state = deployments.get(hash);
    if (!state || state.node === null) throw new Refusal(code, `deployment not found: ${hash}`);
    return hash;
  };
  /** Whether a deployment is the first or the last version of a name. All others are unused. */
  const isUsed = (id: string): boolean =>
    [...subgraphs.values()].some((versions) => versions[0] === id || versions.at(-1) === id);
  const release = (): void => {
    for (const id of deployments.keys()) if (!isUsed(id)) change(id, { node: null, paused: false });
  };

  const methods: Record<string, (params: Readonly<Record<string, unknown>>) => unknown> = {
    subgraph_create({ name }) {
      checkName(name);
      if (!subgraphs.has(name)) subgraphs.set(name, []);
      return { id: [...subgraphs.keys()].indexOf(name).toString(16).padStart(32, "0") };
    },
    subgraph_deploy({ name, ipfs_hash: hash }) {
      checkName(name);
      const id = requireText(hash, "ipfs_hash");
      const { network, start } = checkManifest(id, ipfs, deployments);
      if (!networks.includes(network)) throw new Refusal(0, `network not supported by registrar: ${network}`);
      const versions = subgraphs.get(name);
      if (!versions) throw new Refusal(0, `subgraph name not found: ${name}`);
      const earliest = Math.max(0, start - 1);
      if (checksStart && earliest > head) {
        const why = `the specified block ${start} must exist on the Ethereum network`;
        throw new Refusal(0, `subgraph validation error: [${why}]`);
      }
      const isCurrent = versions.at(-1) === id;
      versions.push(id);
      const known = deployments.get(id);
      if (!known) deployments.set(id, { network, block: undefined, head, earliest, node: "default" });
      // A current deployment stays unchanged, even if no node indexes it.
      else if (known.node === null && !isCurrent) change(id, { node: "default", paused: false });
      release();
      const path = `${base}/subgraphs/name/${name}`;
      return { playground: `${path}/graphql`, queries: path };
    },
    subgraph_remove({ name }) {
      checkName(name);
      subgraphs.delete(name);
      release();
      return null;
    },
    subgraph_pause({ deployment }) {
      change(assigned(deployment, 4), { paused: true });
      return null;
    },
    subgraph_resume({ deployment }) {
      change(assigned(deployment, 5), { paused: false });
      return null;
    },
    subgraph_reassign({ ipfs_hash: hash, node_id: node }) {
      change(assigned(hash, 3), { node: requireText(node, "node_id") });
      return null;
    },
  };

  const admin = await startDouble((request) => answerCall(request, methods, calls));
  admin.rule(({ body }) => {
    const hash = /"ipfs_hash":"(\w+)"/.exec(String(body))?.[1];
    if (hash === undefined || !String(body).includes("subgraph_deploy")) return undefined;
    if (waitsForFiles && lacksFiles(hash, ipfs)) return { kind: "silence" };
    return hasSubgraphTemplate(hash, ipfs) ? { kind: "cut" } : undefined;
  });
  const look = (id: string): object | null => {
    const state = deployments.get(id);
    if (!state) return null;
    const view = statusOf(id, state);
    const rests = state.fatal !== undefined || state.paused === true || state.node === null;
    const block = rests ? state.block : Math.min((state.block ?? 0) + step, state.head);
    deployments.set(id, { ...state, block });
    return view;
  };
  const version = (name: string, isPending: boolean): object | null => {
    const versions = subgraphs.get(name) ?? [];
    // The first deployment of a name is current at once. A later one is pending until it is synced.
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
      proofOfIndexing: ({ subgraph, blockNumber }: { subgraph: string; blockNumber: number }) =>
        proofOf(deployments.get(subgraph), blockNumber),
      publicProofsOfIndexing: ({ requests }: { requests: { deployment: string; blockNumber: string }[] }) =>
        requests.map(({ deployment, blockNumber: number }) => {
          const proof = proofOf(deployments.get(deployment), Number(number));
          return {
            deployment,
            proofOfIndexing: proof,
            block: { number, hash: proof && hashOf(Number(number)) },
          };
        }),
      blockHashFromNumber: ({ network, blockNumber }: { network: string; blockNumber: number }) =>
        networks.includes(network) && blockNumber <= head ? hashOf(blockNumber) : null,
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
    set: change,
    unassign: (id) => change(id, { node: null }),
    cleanUp() {
      for (const id of [...deployments.keys()]) if (!isUsed(id)) deployments.delete(id);
    },
    async stop() {
      await Promise.all([admin.stop(), status.stop(), queries.stop()]);
    },
  };
}

function answerCall(
  { method, path, body }: ReceivedRequest,
  methods: Record<string, (params: Readonly<Record<string, unknown>>) => unknown>,
  calls: AdminCall[],
): DoubleAnswer {
  if (path !== "/") return { status: 404, body: "" };
  if (method !== "POST") return { status: 405, body: "", headers: { allow: "POST" } };
  const call = JSON.parse(body.toString("utf8")) as { jsonrpc?: string; id: unknown } & AdminCall;
  const frame = { jsonrpc: "2.0", id: call.id ?? null };
  if (call.jsonrpc === undefined) return json({ ...frame, error: { code: -32700, message: "Parse error" } });
  const run = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  if (call.jsonrpc !== "2.0") return json({ ...frame, error: { code: -32600, message: "Invalid Request" } });
  if (!run) return json({ ...frame, error: { code: -32601, message: "Method not found" } });
  calls.push({ method: call.method, params: call.params });
  try {
    return json({ ...frame, result: run(call.params) });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return json({ ...frame, error: { code: error.code, message: error.message } });
  }
}

function requireText(value: unknown, field: string): string {
  if (typeof value === "string") return value;
  throw new Refusal(-32602, `Invalid params: missing field \`${field}\``);
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
  readonly kind?: string;
  readonly network?: string;
  readonly source?: { readonly startBlock?: number };
  readonly mapping: { readonly file: unknown; readonly abis: readonly { readonly file: unknown }[] };
}

/** The files that a manifest links to. @throws Refusal for an invalid link */
function linksIn(manifest: DoubleManifest): readonly string[] {
  const sources = [...manifest.dataSources, ...(manifest.templates ?? [])];
  const links = [
    manifest.schema.file,
    ...sources.flatMap(({ mapping }) => [mapping.file, ...mapping.abis.map(({ file }) => file)]),
  ];
  return links.map((link) => {
    const target = (link as { "/"?: string })["/"];
    if (target === undefined)
      throw new Refusal(0, `subgraph resolve error: parse error: link ${String(link)}`);
    return target.replace(/^\/ipfs\//, "");
  });
}

function manifestOf(hash: string, { held }: IpfsDouble): DoubleManifest | undefined {
  const bytes = held.get(hash);
  return bytes && (parse(new TextDecoder().decode(bytes)) as DoubleManifest);
}

function lacksFiles(hash: string, ipfs: IpfsDouble): boolean {
  const manifest = manifestOf(hash, ipfs);
  return !manifest || linksIn(manifest).some((cid) => !ipfs.held.has(cid));
}

/** Then graph-node panics, closes the connection, and continues. */
function hasSubgraphTemplate(hash: string, ipfs: IpfsDouble): boolean {
  return manifestOf(hash, ipfs)?.templates?.some(({ kind }) => kind === "subgraph") ?? false;
}

/** Fetches all files that a manifest links to. @returns its network and its first block */
function checkManifest(
  hash: string,
  ipfs: IpfsDouble,
  deployments: ReadonlyMap<string, DeploymentState>,
): { readonly network: string; readonly start: number } {
  const get = (cid: string): string => {
    const bytes = ipfs.held.get(cid);
    if (!bytes) throw new Refusal(0, `subgraph resolve error: resolve error: IPFS timeout: ${cid}`);
    return new TextDecoder().decode(bytes);
  };
  const manifest = parse(get(hash)) as DoubleManifest;
  for (const link of linksIn(manifest)) get(link);
  const { specVersion = "" } = manifest;
  if (specVersion === "9.9.9") {
    const most = "only supports manifest spec versions between 0.0.2 and 1.5.0";
    const why = `This Graph Node ${most}, but subgraph \`${hash}\` uses \`${specVersion}\``;
    throw new Refusal(0, `subgraph resolve error: resolve error: ${why}`);
  }
  if (manifest.graft) checkGraft(manifest, deployments);
  const named = new Set(manifest.dataSources.flatMap(({ network }) => network ?? []));
  if (named.size !== 1)
    throw new Refusal(0, "subgraph validation error: [subgraph must have a single network]");
  const start = Math.min(...manifest.dataSources.map(({ source }) => source?.startBlock ?? 0));
  return { network: [...named][0] as string, start };
}

function checkGraft(
  { graft, features = [] }: DoubleManifest,
  deployments: ReadonlyMap<string, DeploymentState>,
): void {
  const refusal = (why: string): Refusal => new Refusal(0, `subgraph validation error: [${why}]`);
  if (!features.includes("grafting"))
    throw refusal("The feature `grafting` is used by the subgraph but it is not declared in the manifest.");
  const base = deployments.get(graft?.base ?? "");
  const block = graft?.block ?? 0;
  const invalid = "the graft base is invalid:";
  if (!base) throw refusal(`${invalid} deployment not found: ${graft?.base}`);
  const onto = `${invalid} failed to graft onto \`${graft?.base}\``;
  if (base.block === undefined) throw refusal(`${onto} since it has not processed any blocks`);
  if (block + 250 <= base.block) return;
  const at = `it's only at block ${base.block} which is within the reorg threshold of 250 blocks`;
  throw refusal(`${onto} at block ${block} since ${at}`);
}

const statusSchema = buildSchema(/* GraphQL */ `
  scalar BigInt
  type Query {
    indexingStatusForCurrentVersion(subgraphName: String!): SubgraphIndexingStatus
    indexingStatusForPendingVersion(subgraphName: String!): SubgraphIndexingStatus
    indexingStatusesForSubgraphName(subgraphName: String!): [SubgraphIndexingStatus!]!
    indexingStatuses(subgraphs: [String!]): [SubgraphIndexingStatus!]!
    proofOfIndexing(subgraph: String!, blockNumber: Int!, blockHash: Bytes!, indexer: Bytes): Bytes
    publicProofsOfIndexing(requests: [PublicProofOfIndexingRequest!]!): [PublicProofOfIndexingResult!]!
    blockHashFromNumber(network: String!, blockNumber: Int!): Bytes
  }
  scalar Bytes
  input PublicProofOfIndexingRequest { deployment: String! blockNumber: BigInt! }
  type PublicProofOfIndexingResult { deployment: String! block: PartialBlock! proofOfIndexing: Bytes! }
  type PartialBlock { hash: Bytes number: BigInt! }
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

/** The hash of a block as the status interface has it. */
function hashOf(block: number): string {
  return block.toString(16).padStart(64, "0");
}

/** graph-node answers null when it has no proof. */
function proofOf(state: DeploymentState | undefined, block: number): string | null {
  return state?.block !== undefined && block <= state.block
    ? `0x${"ab".repeat(28)}${hashOf(block).slice(-8)}`
    : null;
}

function statusOf(
  id: string,
  {
    network,
    block,
    head,
    fatal,
    health,
    paused,
    nonFatal,
    node = "default",
    earliest = 0,
    entities,
  }: DeploymentState,
): object {
  const at = (number: number | undefined, prefix = ""): object | null =>
    number === undefined ? null : { number: `${number}`, hash: `${prefix}${hashOf(number)}` };
  return {
    subgraph: id,
    synced: block !== undefined && block >= head,
    health: health ?? (fatal ? "failed" : "healthy"),
    fatalError: fatal ? { ...fatal, block: at(block, "0x"), handler: "handleTransfer" } : null,
    nonFatalErrors: (nonFatal ?? []).map((message) => ({
      message,
      handler: "handleSwap",
      deterministic: true,
    })),
    chains: [
      {
        network,
        chainHeadBlock: at(head),
        earliestBlock: { number: `${earliest}`, hash: "0x0" },
        latestBlock: at(block),
        lastHealthyBlock: null,
      },
    ],
    entityCount: `${entities ?? 0}`,
    node,
    paused: node === null ? null : (paused ?? false),
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
