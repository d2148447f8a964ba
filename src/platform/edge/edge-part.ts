import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { reportFailure } from "../../base/failures.js";
import { repeat } from "../../base/text/repeat.js";
import { DatabaseError } from "../../store/database/database.js";
import { addExplorer } from "../http/add-explorer.js";
import { api, docs, subgraphs } from "../http/frame.js";
import type { Platform } from "../platform.js";
import type { RunningPart } from "../server-part.js";
import { EdgeCounts } from "./counts.js";
import { dataBase, dataDocument, dataRoutes, toldHeaders } from "./data-routes.js";
import { createGatekeeper } from "./gatekeeper.js";
import { rpcRoutes } from "./rpc-routes.js";

/** Milliseconds between two writes of the counts. */
const writeInterval = 5_000;

/**
 * Endpoints: access to chain nodes and the data service with a key (`?secret=<key>`, a bearer token, or `x-api-key`).
 * They refuse requests beyond their budget, requests from pages that are not allowed, and all requests while paused. A data
 * service of this server has an explorer, which needs no key.
 */
export function edgePart(platform: Platform): RunningPart {
  const { database, settings, world } = platform;
  const closing = new AbortController();
  const counts = new EdgeCounts(database, () => world.now());
  const gatekeeper = createGatekeeper(platform, counts);

  async function routes(app: FastifyInstance): Promise<void> {
    // Only for these paths: answers at other addresses are not for pages from other origins.
    await app.register(
      async (edge) => {
        await edge.register(cors, {
          origin: true,
          methods: ["GET", "POST"],
          // The asterisk does not cover `authorization`.
          allowedHeaders: ["*", "authorization"],
          exposedHeaders: [...toldHeaders, "etag"],
          maxAge: 600,
        });
        await edge.register(rpcRoutes(platform, gatekeeper, closing.signal));
        await edge.register(dataRoutes(platform, gatekeeper));
      },
      { prefix: "/edge" },
    );
    const { dataService } = settings;
    // Another data service has its own explorer.
    if (dataService && "service" in dataService) {
      await addExplorer(app, {
        path: `${dataBase}/docs`,
        title: "graphloom: data service",
        places: [subgraphs, ["Data", "/data", [`${dataBase}/`]], docs, api],
        config: { role: "anyone" },
        document: () => dataDocument(settings.address()),
      });
    }
  }

  // While the database is unreachable, the counts wait for the next round.
  const write = (): Promise<void> =>
    counts.write().catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) reportFailure(error);
    });
  const writing = repeat(writeInterval, world, closing.signal, write);
  return {
    routes,
    async close() {
      closing.abort();
      await writing;
      await write();
    },
  };
}
