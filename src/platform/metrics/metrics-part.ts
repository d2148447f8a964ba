import type { ServerPart } from "../server-part.js";
import { readServer } from "./read-server.js";
import type { ServerMetrics } from "./server-metrics.js";

/** Who may read metrics: anybody who reaches the server, or who has a key. They name deployments and routes. */
export type MetricsReaders = "anyone" | "Viewer";

/** `GET /metrics`, in the format of Prometheus. It answers when the database or an engine does not, and says so. */
export function metricsPart(metrics: ServerMetrics, role: MetricsReaders): ServerPart {
  return (platform) => ({
    routes: (app) => {
      app.get("/metrics", { config: { role } }, async (request, reply) => {
        const reading = await readServer(platform, (what, error) => request.log.warn({ err: error }, what));
        const { deployments } = reading;
        if (deployments) await metrics.keepOnly(new Set(deployments.map(({ deployment }) => deployment)));
        metrics.gauges.set(reading);
        return reply.type(metrics.contentType).send(await metrics.text());
      });
    },
  });
}
