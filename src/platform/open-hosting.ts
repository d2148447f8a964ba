import type { Meters } from "../base/meters.js";
import type { World } from "../base/world.js";
import {
  createEmbeddedEngine,
  type EmbeddedEngineOptions,
} from "../hosting/embedded/create-embedded-engine.js";
import type { Engine, Hosting } from "../hosting/engine.js";
import { createGraphNodeEngine } from "../hosting/graph-node/graph-node-engine.js";
import { createGraphNodeTables } from "../hosting/graph-node/graph-node-tables.js";
import type { GraphNodeOption } from "../hosting/graph-node/read-addresses.js";
import type { SayLine } from "../nodes/node-watch.js";
import type { Database } from "../store/database/database.js";
import { isAddress, openDatabase } from "../store/open.js";
import type { PlatformSettings } from "./platform.js";
import { readServerId } from "./sealing/server-id.js";
import { createHosting } from "./subgraphs/create-hosting.js";

/** Where a server's engines are, and what they work with. */
export interface EngineSettings {
  /** What the database was opened with: the address of a server, or anything else where it is in this process. */
  readonly database: string;
  /** Address of a gateway to IPFS. */
  readonly ipfs?: string;
  /** How lists of logs are proved. */
  readonly verify: NonNullable<EmbeddedEngineOptions["verify"]>;
  /** A graph-node that takes what this program has no nodes for. */
  readonly graphNode?: GraphNodeOption;
}

/**
 * The engines of a server: this program itself for the networks it has nodes of, and a graph-node, when one is named,
 * for all others.
 * @param about where work is counted, and who is told when a node is away and when it is back
 * @throws DatabaseError when the database of the graph-node cannot be read
 */
export async function openHosting(
  database: Database,
  { nodes }: PlatformSettings,
  settings: EngineSettings,
  {
    world,
    meters,
    say,
  }: { readonly world: World; readonly meters?: Meters | undefined; readonly say?: SayLine },
): Promise<Hosting> {
  const { ipfs, verify, graphNode } = settings;
  const embedded = createEmbeddedEngine({
    database,
    ...(isAddress(settings.database) && { address: settings.database }),
    world,
    nodes,
    ...(ipfs !== undefined && { ipfs }),
    ...{ verify, meters, say },
  });
  const engines: Engine[] = [embedded];
  if (graphNode) {
    const { postgres } = graphNode;
    const serverId = (): Promise<string> => readServerId(database);
    const tables =
      postgres === undefined ? {} : { tables: createGraphNodeTables(await openDatabase(postgres, world)) };
    engines.push(createGraphNodeEngine(graphNode, world, { ...{ database, serverId, say }, ...tables }));
  }
  return createHosting({ database, engines, world });
}
