import { groupBy } from "../../base/group-by.js";
import type { NodeFailure } from "../../base/meters.js";
import { networkOfDataset } from "../../pipelines/host/served/source-network.js";
import { parseAddress } from "../../web/http/address.js";
import { readDatasets } from "../pipelines/pipeline-rows.js";
import type { Platform } from "../platform.js";
import { type NamedBuild, namedBuilds } from "../subgraphs/builds.js";
import { type Log, readStatuses } from "../subgraphs/read-statuses.js";
import { type ChainNode, chainNodes } from "./chain-nodes.js";
import type { NodeCount, RecentNodeCounts } from "./node-counts.js";

/** A chain, this server's nodes for the chain, and who uses them. */
export interface ChainReading extends ChainNode {
  /** Decimal, if a node has reported it. */
  readonly chainId?: string | undefined;
  /** The nodes in the order of requests. Empty if another program uses its own. */
  readonly nodes: readonly NodeReading[];
  /** The project's builds on it, each under its newest name: `pools/1.0.0`. */
  readonly subgraphs: readonly string[];
  /** The project's pipelines that read its datasets. */
  readonly pipelines: readonly string[];
  /** Whether the data service of this server asks its nodes. */
  readonly isOfData: boolean;
}

/** A node of this server, and the requests that it was sent. */
export interface NodeReading {
  /** Protocol, host and port. The rest of its address may hold a key. */
  readonly name: string;
  /** How many addresses have this name. */
  readonly addresses: number;
  /** The last hour; `undefined` if it was not asked. */
  readonly count: NodeCount | undefined;
  /** The last time that it gave the data service of this server no answer. */
  readonly failureOfData?: NodeFailure;
  /** Why its answers are not used; absent if they are. */
  readonly setAside?: string;
}

/**
 * The chains of this server and of a project's subgraphs, those with problems first.
 * @param counts without them, no node has counts
 * @throws DatabaseError
 */
export async function readNodes(
  { database, hosting, nodes, settings }: Pick<Platform, "database" | "hosting" | "nodes" | "settings">,
  project: string,
  counts: RecentNodeCounts | undefined,
  log: Log,
): Promise<readonly ChainReading[]> {
  const builds = await namedBuilds(database, project);
  const readings = (await Promise.all(hosting.engines.map((engine) => engine.nodes?.() ?? []))).flat();
  const { known } = await readStatuses(hosting, builds, log);
  const statuses = builds.flatMap(({ network, deployment }) => {
    const status = known.get(deployment);
    return status ? [[network, status] as const] : [];
  });
  const own = new Set(settings.nodes.keys());
  const pipelines = groupBy(await readDatasets(database, project), ({ dataset }) =>
    networkOfDataset(dataset),
  );
  const { dataService } = settings;
  const ofData = dataService && "service" in dataService ? dataService : undefined;
  const states = new Map(chainNodes(readings, statuses, own).map((chain) => [chain.network, chain]));
  const networks = [
    ...new Set([...states.keys(), ...[...own].sort(), ...builds.map(({ network }) => network)]),
  ];
  return networks.map((network) => ({
    network,
    ...states.get(network),
    chainId: readings.find((reading) => reading.network === network)?.chainId,
    nodes: nodesOf(settings.nodes.get(network) ?? [], {
      counts: counts?.recent(network) ?? [],
      failureOfData: (name) => ofData?.nodeFailure(network, name),
      setAside: nodes.of(network)?.setAside,
    }),
    subgraphs: namesOn(builds, network),
    pipelines: [...new Set(pipelines.get(network)?.map(({ pipeline }) => pipeline))],
    isOfData: ofData?.networks.includes(network) ?? false,
  }));
}

/** The counts and failures of a chain's nodes, by their names. */
interface KnownOfNodes {
  readonly counts: readonly NodeCount[];
  /** The last time that a node gave the data service no answer. */
  readonly failureOfData: (name: string) => NodeFailure | undefined;
  /** Why the answers of a node are not used. */
  readonly setAside: ReadonlyMap<string, string> | undefined;
}

function nodesOf(
  addresses: readonly string[],
  { counts, failureOfData, setAside }: KnownOfNodes,
): readonly NodeReading[] {
  const names = addresses.flatMap((address) => parseAddress(address)?.origin ?? []);
  return [...new Set(names)].map((name) => {
    const failure = failureOfData(name);
    const why = setAside?.get(name);
    return {
      name,
      addresses: names.filter((each) => each === name).length,
      count: counts.find(({ node }) => node === name),
      ...(failure && { failureOfData: failure }),
      ...(why !== undefined && { setAside: why }),
    };
  });
}

function namesOn(builds: readonly NamedBuild[], network: string): readonly string[] {
  return builds.filter((build) => build.network === network).map(({ name }) => name);
}
