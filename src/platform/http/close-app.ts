import type { FastifyInstance } from "fastify";
import type { World } from "../../base/world.js";

/** Milliseconds that open requests have to finish when the server closes. */
const lastRequests = 10_000;

/** Lets open requests finish, and cuts off requests that take too long. */
export async function closeApp(app: FastifyInstance, world: Pick<World, "timeout">): Promise<void> {
  world.timeout(lastRequests).addEventListener("abort", () => app.server.closeAllConnections());
  await app.close();
}
