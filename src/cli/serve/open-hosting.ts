import type { Meters } from "../../base/meters.js";
import type { World } from "../../base/world.js";
import { createEmbeddedEngine } from "../../hosting/embedded/create-embedded-engine.js";
import type { Engine, Hosting } from "../../hosting/engine.js";
import { createGraphNodeEngine } from "../../hosting/graph-node/graph-node-engine.js";
import { createGraphNodeTables } from "../../hosting/graph-node/graph-node-tables.js";
import { createNodeWorld } from "../../node/world.js";
import type { SayLine } from "../../nodes/node-watch.js";
import type { PlatformSettings } from "../../platform/platform.js";
import { readServerId } from "../../platform/sealing/server-id.js";
import { createHosting } from "../../platform/subgraphs/create-hosting.js";
import type { Database } from "../../store/database/database.js";
import { isAddress, openDatabase } from "../../store/database/open-database.js";
import type { ServePlan } from "./serve-arguments.js";

/**
 * The engines of a server: this program itself for the networks it has nodes of, and a graph-node, when one is named,
 * for all others.
 * @param about where work is counted, who is told when a node is away and when it is back, and another clock for tests
 * @throws DatabaseError when the database of the graph-node cannot be read
 */
export async function openHosting(
  database: Database,
  { nodes }: PlatformSettings,
  plan: Pick<ServePlan, "database" | "ipfs" | "verify" | "graphNode">,
  about: { readonly meters?: Meters | undefined; readonly say?: SayLine; readonly world?: World } = {},
): Promise<Hosting> {
  const { world = createNodeWorld() } = about;
  const { ipfs, verify, graphNode } = plan;
  const { meters, say } = about;
  const embedded = createEmbeddedEngine({
    database,
    ...(isAddress(plan.database) && { address: plan.database }),
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
