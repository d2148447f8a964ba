import type { World } from "../base/world.js";
import {
  createEmbeddedEngine,
  type EmbeddedEngineOptions,
} from "../hosting/embedded/create-embedded-engine.js";
import type { SharedSource } from "../hosting/embedded/turns/shared-source.js";
import type { Engine, Hosting } from "../hosting/engine.js";
import { createGraphNodeEngine } from "../hosting/graph-node/graph-node-engine.js";
import { createGraphNodeTables } from "../hosting/graph-node/graph-node-tables.js";
import type { GraphNodeOption } from "../hosting/graph-node/read-addresses.js";
import type { SayLine } from "../rpc/node-watch.js";
import type { Nodes } from "../rpc/nodes.js";
import type { Database } from "../store/database/database.js";
import { isAddress, openDatabase } from "../store/open.js";
import { readServerId } from "./sealing/server-id.js";
import { createHosting } from "./subgraphs/create-hosting.js";

/** The settings of a server's engines. */
export interface EngineSettings {
  /** How the database was opened: the address of a server, or anything else for a database in this process. */
  readonly database: string;
  /** The gateways for mappings that read files. */
  readonly gateways?: EmbeddedEngineOptions["gateways"];
  /** Services with history, by network. */
  readonly histories?: ReadonlyMap<string, SharedSource["place"]>;
  /** How lists of logs are verified. */
  readonly verify: NonNullable<EmbeddedEngineOptions["verify"]>;
  /** Whether new deployments keep proofs of indexing; true by default. */
  readonly proofs?: boolean;
  /** Where chain data is kept. */
  readonly archive?: EmbeddedEngineOptions["archive"];
  /** A graph-node that indexes the networks for which this program has no nodes. */
  readonly graphNode?: GraphNodeOption;
}

/** What the engines of a server share with its other parts. */
export interface HostingWorld extends Pick<EmbeddedEngineOptions, "histories" | "meters"> {
  readonly world: World;
  readonly say?: SayLine;
}

/**
 * Opens the engines of a server. This program indexes the networks for which it has nodes; a graph-node, if configured,
 * indexes all others.
 * @throws DatabaseError when the database of the graph-node cannot be read
 */
export async function openHosting(
  database: Database,
  nodes: Nodes,
  settings: EngineSettings,
  { world, say, histories, meters }: HostingWorld,
): Promise<Hosting> {
  const { gateways, verify, proofs, archive, graphNode } = settings;
  const embedded = createEmbeddedEngine({
    database,
    ...(isAddress(settings.database) && { address: settings.database }),
    world,
    nodes,
    ...(gateways && { gateways }),
    ...(histories && { histories }),
    verify,
    ...(proofs !== undefined && { proofs }),
    archive,
    say,
    meters,
  });
  const engines: Engine[] = [embedded];
  if (graphNode) {
    const { postgres } = graphNode;
    const serverId = (): Promise<string> => readServerId(database);
    const tables =
      postgres === undefined ? {} : { tables: createGraphNodeTables(await openDatabase(postgres, world)) };
    engines.push(createGraphNodeEngine(graphNode, world, { database, serverId, say, ...tables }));
  }
  return createHosting({ database, engines, world });
}
