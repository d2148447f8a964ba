import type { FastifyInstance } from "fastify";
import {
  type HostedSink,
  hostedSinkOperations,
  type NewHostedSink,
} from "../../../api/hosted-sink-operations.js";
import { watchSizes } from "../../hosted-sinks/limit-sizes.js";
import {
  createHostedSink,
  removeHostedSink,
  type SinkKeeper,
} from "../../hosted-sinks/manage-hosted-sinks.js";
import { sinkServerOf } from "../../hosted-sinks/sink-server.js";
import { addExtension } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import type { Secret } from "../../secrets/secrets.js";
import type { ServerPart } from "../../server-part.js";

/** Milliseconds between two measurements of all databases. */
const usualPause = 60_000;

/**
 * The server part for hosted sinks: their routes, and the limit of their sizes.
 * @param address of the server's database, if it is on a server
 * @param pause milliseconds between two measurements
 */
export function hostedSinksPart(address: string | undefined, pause = usualPause): ServerPart {
  const server = address === undefined ? undefined : sinkServerOf(address);
  return (platform) => ({
    routes: (app) => hostedSinkRoutes(app, { ...platform, server }),
    close: watchSizes(platform, pause),
  });
}

/** The extensions for hosted sinks. */
function hostedSinkRoutes(app: FastifyInstance, keeper: SinkKeeper): void {
  const { createHostedSink: create, deleteHostedSink: remove } = hostedSinkOperations;
  addExtension(app, create, { role: "Editor" }, async ({ body, request }) => ({
    data: shown(await createHostedSink(keeper, doerOf(request), body as NewHostedSink)),
  }));
  addExtension(app, remove, { role: "Editor" }, async ({ path: { name = "" }, request }) => {
    await removeHostedSink(keeper, doerOf(request), name);
  });
}

function shown({ name, type, description, createdAt }: Secret): HostedSink {
  return { id: name, name, type, description, created_at: createdAt.toISOString() };
}
