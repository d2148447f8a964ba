import { createHmac } from "node:crypto";
import { dataChainOfName } from "../../data/chains/data-chain.js";
import { indexActivity } from "../../data/markets/index-activity.js";
import { createProjectMarkets } from "../../data/markets/project-markets.js";
import { createPostgresStore } from "../../data/reads/postgres-store.js";
import { createDataService } from "../../data/service/data-service.js";
import { createNodeWorld } from "../../node/world.js";
import type { OwnDataService } from "../../platform/platform.js";
import { readableBuildsOf } from "../../platform/subgraphs/named-builds.js";
import type { Database } from "../../store/database/database.js";
import { openDataNode } from "../reader/open-data-node.js";

/** Milliseconds that the database may take for a statement. */
const timeLimit = 10_000;

/**
 * The data service of a server, over the tables in its database and the entities of its subgraphs.
 * @param secretKey servers with the same one recognise each other's cursors
 * @param nodes addresses by network, for balances; the first of each is asked
 * @param warn told of what only makes answers slower
 */
export function openOwnService(
  database: Database,
  secretKey: Uint8Array,
  nodes: ReadonlyMap<string, readonly string[]>,
  signal: AbortSignal,
  warn: (sentence: string) => void = () => undefined,
): OwnDataService {
  const key = createHmac("sha256", secretKey).update("data service").digest("base64url");
  const ofChains = [...nodes].flatMap(([network, [url]]) => {
    const chain = dataChainOfName(network);
    return chain && url !== undefined ? [[chain.name, openDataNode(url, signal)] as const] : [];
  });
  const service = createDataService({
    store: createPostgresStore(database, timeLimit),
    ...{ key, nodes: new Map(ofChains), now: createNodeWorld().now },
  });
  const marketOf = createProjectMarkets(database, {
    ...{ builds: readableBuildsOf, limit: timeLimit },
    onFound: (deployment) => {
      indexActivity(database, deployment).catch((error: Error) =>
        warn(`The activity of market ${deployment.deployment} could not be indexed: ${error.message}.`),
      );
    },
  });
  return { service, key, marketOf };
}
