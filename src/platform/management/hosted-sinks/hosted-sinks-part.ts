import type { FastifyInstance } from "fastify";
import {
  type HostedSink,
  hostedSinkOperations,
  type NewHostedSink,
} from "../../../api/hosted-sink-operations.js";
import type { SayLine } from "../../../rpc/node-watch.js";
import { findClusterFaults } from "../../hosted-sinks/cluster-faults.js";
import { findPlaces } from "../../hosted-sinks/find-places.js";
import type { HostedCluster } from "../../hosted-sinks/hosted-cluster.js";
import { watchSinks } from "../../hosted-sinks/limit-sinks.js";
import {
  createHostedSink,
  removeHostedSink,
  type SinkKeeper,
} from "../../hosted-sinks/manage-hosted-sinks.js";
import { addExtension } from "../../http/add-extension.js";
import type { Routes } from "../../http/app.js";
import { doerOf } from "../../http/doer-of.js";
import type { Secret } from "../../secrets/secrets.js";
import type { ServerPart } from "../../server-part.js";

/** Milliseconds between two checks of all databases. */
const usualPause = 60_000;

/**
 * The server part for hosted sinks: their routes, and the limits of their databases. It refuses to start if hosted
 * databases are not where its settings say.
 * @param cluster without it, the server hosts no databases. The part does not close it
 * @param say receives messages for the operator
 * @param pause milliseconds between two checks
 */
export function hostedSinksPart(
  cluster?: HostedCluster,
  { say, pause = usualPause }: { readonly say?: SayLine; readonly pause?: number } = {},
): ServerPart {
  return async (platform) => {
    const missing = await findPlaces(platform, cluster);
    if (missing.length > 0)
      say?.(
        "warn",
        `These hosted databases are not in the PostgreSQL of --hosted-sinks: ${missing.join(", ")}. Restore them there, or delete their hosted sinks.`,
      );
    const routes: Routes = (app) => hostedSinkRoutes(app, { ...platform, cluster });
    if (!cluster) return { routes };
    for (const { sentence, statements } of await findClusterFaults(cluster))
      say?.("warn", `${sentence} Run in the PostgreSQL of --hosted-sinks: ${statements.join(" ")}`);
    return { routes, close: watchSinks(platform, cluster, pause, (sentence) => say?.("warn", sentence)) };
  };
}

/** The extensions for hosted sinks. */
function hostedSinkRoutes(app: FastifyInstance, keeper: SinkKeeper): void {
  const { createHostedSink: create, deleteHostedSink: remove } = hostedSinkOperations;
  addExtension(app, create, { role: "Editor" }, async ({ body, request }) => ({
    data: hostedSinkAnswer(await createHostedSink(keeper, doerOf(request), body as NewHostedSink)),
  }));
  addExtension(app, remove, { role: "Editor" }, async ({ path: { name = "" }, request }) => {
    await removeHostedSink(keeper, doerOf(request), name);
  });
}

function hostedSinkAnswer({ name, type, description, createdAt }: Secret): HostedSink {
  return { id: name, name, type, description, created_at: createdAt.toISOString() };
}
