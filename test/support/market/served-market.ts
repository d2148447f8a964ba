import { onTestFinished } from "vitest";
import { createPostgresMarket } from "../../../src/data/markets/postgres-market.js";
import { createPostgresStore } from "../../../src/data/reads/postgres-store.js";
import { createDataService, type DataService } from "../../../src/data/service/data-service.js";
import type { Compilation } from "../../../src/exports/index.js";
import { createNodeWorld } from "../../../src/node/world.js";
import type { Store } from "../../../src/runtime/store/store.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { newDeployment } from "../../../src/store/deployments/new-deployment.js";
import { openStore } from "../../../src/store/entities/open-store.js";
import { openOwnDatabase } from "../../../src/store/open.js";
import { readRunnable } from "../../../src/subgraph/runnable/read-runnable.js";
import { ask, dataKey } from "../data/asked.js";
import { serverDatabase } from "../database/databases.js";

/** A market in a PostgreSQL server, and the data service that answers about it. */
export interface ServedMarket {
  readonly store: Store;
  readonly service: DataService;
}

/** A market without blocks, for one test. */
export async function serveMarket({ files }: Pick<Compilation, "files">): Promise<ServedMarket> {
  const folder = "build/";
  const built = readRunnable({
    manifest: "subgraph.yaml",
    files: new Map(
      [...files].flatMap(([path, content]) =>
        path.startsWith(folder) ? [[path.slice(folder.length), content]] : [],
      ),
    ),
  });
  const database = await openOwnDatabase(await serverDatabase(), createNodeWorld());
  onTestFinished(() => database.close());
  const deployment = await openDeployment(database, newDeployment(built, "QmMarket", { startBlock: 0 }));
  return {
    store: openStore(database, deployment, built),
    service: createDataService({
      ...{ store: createPostgresStore(database, 10_000), key: dataKey, now: Date.now },
      market: createPostgresMarket(database, { subgraph: "market", deployment, limit: 10_000 }),
    }),
  };
}

/** All rows of an operation about a wallet, page by page. */
export async function askAll(
  service: DataService,
  path: string,
  query: Readonly<Record<string, string | number | boolean>>,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await ask(service, path, cursor === undefined ? query : { cursor });
    if (status !== 200) throw new Error(`${path} answers with ${status}: ${JSON.stringify(body)}`);
    rows.push(...body.data);
    cursor = body.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return rows;
}
