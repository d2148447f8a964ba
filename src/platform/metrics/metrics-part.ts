import { withinPatience } from "../http/limits/in-time.js";
import type { ServerPart } from "../server-part.js";
import { type MetricsReaders, viewOf } from "./metrics-view.js";
import { readServer } from "./read-server.js";
import type { ServerMetrics } from "./server-metrics.js";

/**
 * `GET /metrics`, in the Prometheus format. It answers and reports the outage when an engine is down or, for the
 * metrics key, when the database is down. Only a deployment's projects and the metrics key see its name and id.
 */
export function metricsPart(metrics: ServerMetrics, readers: MetricsReaders): ServerPart {
  return (platform) => ({
    routes: (app) => {
      // The route decides itself who may see what, because the metrics key belongs to no project.
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
