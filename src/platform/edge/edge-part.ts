import cors from "@fastify/cors";
import type { FastifyInstance } from "fastify";
import { repeat } from "../../base/repeat.js";
import type { Platform } from "../platform.js";
import type { RunningPart } from "../server-part.js";
import { EdgeCounts } from "./counts.js";
import { dataRoutes } from "./data-routes.js";
import { createGatekeeper } from "./gatekeeper.js";
import { rpcRoutes } from "./rpc-routes.js";

/** Milliseconds between two writings of what was counted. */
const writeInterval = 5_000;

/**
 * Endpoints: the nodes of chains, and the data service, for who has a key (`?secret=<key>`, a bearer, or `x-api-key`).
 * Who asks too often, from a page that may not, or with a paused endpoint is refused.
 */
export function edgePart(platform: Platform): RunningPart {
  const { database, world } = platform;
  const closing = new AbortController();
  const counts = new EdgeCounts(database, () => world.now());
  const gatekeeper = createGatekeeper(platform, counts);

  async function routes(app: FastifyInstance): Promise<void> {
    // Preflights of other addresses are none of its business: their answers are not for pages from elsewhere.
    await app.register(
      async (edge) => {
        await edge.register(cors, {
          origin: true,
          methods: ["GET", "POST"],
          allowedHeaders: "*",
          maxAge: 600,
        });
        await edge.register(rpcRoutes(platform, gatekeeper, closing.signal));
        await edge.register(dataRoutes(platform, gatekeeper));
      },
      { prefix: "/edge" },
    );
  }

  // Where the database is away, what was counted is written in the next round.
  const write = (): Promise<void> => counts.write().catch(() => undefined);
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
