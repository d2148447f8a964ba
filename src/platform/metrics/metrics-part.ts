import { withinPatience } from "../http/in-time.js";
import type { ServerPart } from "../server-part.js";
import { type MetricsReaders, viewOf } from "./metrics-view.js";
import { readServer } from "./read-server.js";
import type { ServerMetrics } from "./server-metrics.js";

/**
 * `GET /metrics`, in the format of Prometheus. It answers when an engine or, with the key of its own, the database does
 * not, and says so. Names and ids of deployments are told to their projects alone, and to that key.
 */
export function metricsPart(metrics: ServerMetrics, readers: MetricsReaders): ServerPart {
  return (platform) => ({
    routes: (app) => {
      // Who may see what is decided here: there is a key that is no project's.
      app.get("/metrics", { config: { role: "anyone" } }, async (request, reply) => {
        const view = await withinPatience(platform.world, () => viewOf(platform, readers, request));
        const reading = await readServer(platform, view, request.log);
        return reply
          .type(metrics.contentType)
          .header("cache-control", "no-store")
          .send(await metrics.text(reading, view));
      });
    },
  });
}
