import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { reportFailure } from "../../base/failures.js";
import { listenError } from "../../base/listen-error.js";
import { repeat } from "../../base/text/repeat.js";
import { FairTurns } from "../../base/turns/fair-turns.js";
import { acceptQueries } from "../endpoints/endpoints.js";
import { addGraphNodeRoutes, sendNotFound } from "../endpoints/graph-node-routes.js";
import type { EndpointView } from "../endpoints/public-view.js";
import { anyone, type EndpointScope } from "../endpoints/scope.js";
import { everyOrigin, sendJson } from "../endpoints/send-answer.js";
import { addStatusRoutes } from "../endpoints/status/status-routes.js";
import { acceptTexts } from "../http/accept-texts.js";
import { createApp, logFailure, problemOf, type Routes } from "../http/app.js";
import { closeApp } from "../http/close-app.js";
import type { Platform } from "../platform.js";
import type { RunningPart } from "../server-part.js";
import type { References } from "../subgraphs/references.js";
import { type AdminScope, adminMethods, deployTurns } from "./admin-methods.js";
import { DoorCallers } from "./door-callers.js";
import { deleteOldFiles } from "./door-files.js";
import { createDoorLimits, type DoorLimits, refuseForeignPages } from "./door-limits.js";
import { DoorProjectView, DoorView } from "./door-view.js";
import { ipfsDoor } from "./ipfs-door.js";
import { answerRpc, RpcError, refusalBody } from "./json-rpc.js";
import { type DoorAddresses, type DoorPorts, type DoorSettings, portOptions } from "./settings.js";

/** The parts of the server that the doors share. */
export interface DoorSurroundings {
  /** The limits and caches of all queries. */
  readonly endpoints: EndpointScope;
  /** References to versions, besides tags. */
  readonly references: readonly References[];
  readonly logger?: FastifyBaseLogger | undefined;
}

/** Milliseconds between two clean-ups of uploads. */
const cleaningInterval = 10 * 60_000;
/** Hours after which uploads are deleted that no deployment uses. */
const hoursKept = {
  open: { project: 24, client: 24 },
  // Anyone may upload, since tools send no key to the IPFS port.
  key: { project: 24, client: 1 },
} as const;

/** The paths of the status API, as on graph-node's port. */
const statusPlace = { path: "/graphql", page: "/graphql/playground" } as const;

/**
 * The ports of a graph-node and of its IPFS node, so that tools made for them deploy to this server and ask it. If
 * the status port is the server's own port, the server itself serves the status API.
 */
export function doorsPart(
  platform: Platform,
  { ports, access, server, onListening }: DoorSettings,
  { endpoints, references, logger }: DoorSurroundings,
): RunningPart {
  const { database, world } = platform;
  const callers = new DoorCallers(platform, access);
  const closing = new AbortController();
  const apps: FastifyInstance[] = [];
  const bound = new Map<keyof DoorPorts, number>();
  const viewOf = async (request: FastifyRequest): Promise<EndpointView> => {
    const caller = await callers.byKey(request);
    return caller ? new DoorProjectView(database, caller.project) : new DoorView(database);
  };
  const statusRoutes: Routes = (app) => {
    acceptQueries(app);
    app.setErrorHandler(sendQueryError);
    addStatusRoutes(app, platform, endpoints, { ...statusPlace, viewOf });
  };
  const own: Readonly<Record<keyof DoorPorts, Routes>> = {
    queries: (app) => {
      acceptQueries(app);
      app.setErrorHandler(sendQueryError);
      endpoints.page.addTo(app);
      addGraphNodeRoutes(app, platform, endpoints, viewOf);
      app.get("/", { config: anyone }, async (_, reply) =>
        sendJson(reply, 200, JSON.stringify({ message: welcome })),
      );
      app.all("/*", { config: anyone }, async (_, reply) => sendNotFound(reply));
    },
    admin: adminDoor(
      { platform, callers, references, queryPort: () => bound.get("queries") ?? ports.queries },
      createDoorLimits(world),
    ),
    status: async (app) => {
      await statusRoutes(app, platform);
      endpoints.page.addTo(app);
      app.get("/", { config: anyone }, async (_, reply) => reply.type("text/plain").send("OK"));
      app.all("/*", { config: anyone }, async (_, reply) =>
        reply.headers(everyOrigin).status(404).type("text/plain").send("Not found"),
      );
    },
    ipfs: ipfsDoor(platform, callers, createDoorLimits(world)),
  };
  const isShared = server.port !== 0 && ports.status === server.port;
  const clean = async (): Promise<void> => {
    const count = await deleteOldFiles(database, hoursKept[access]);
    if (count > 0) logger?.info(`Deleted ${count.toLocaleString("en")} uploads that no deployment uses`);
  };
  let cleaning: Promise<void> = Promise.resolve();
  return {
    ...(isShared && { routes: statusRoutes }),
    async listen() {
      for (const door of ["queries", "admin", "status", "ipfs"] as const) {
        if (door === "status" && isShared) continue;
        const app = await createApp(platform, [own[door]], logger);
        apps.push(app);
        bound.set(door, await listenAt(app, server.host, ports[door], portOptions[door]));
      }
      cleaning = repeat(cleaningInterval, world, closing.signal, clean, reportFailure);
      onListening?.(addressesOf(bound, server));
    },
    async close() {
      closing.abort();
      await Promise.all(apps.map((app) => closeApp(app, world)));
      await cleaning;
    },
  };
}

const welcome =
  "Access deployed subgraphs by deployment ID at /subgraphs/id/<ID> or by name at /subgraphs/name/<NAME>";

/** @returns the port @throws ListenError that names the option of the port */
async function listenAt(app: FastifyInstance, host: string, port: number, option: string): Promise<number> {
  try {
    // Tools are usually given http://localhost, which may lead to either loopback address.
    await app.listen({ host: host === "127.0.0.1" ? "localhost" : host, port });
  } catch (error) {
    throw listenError(error, host, port, option);
  }
  const address = app.server.address();
  return typeof address === "object" && address ? address.port : port;
}

function addressesOf(
  bound: ReadonlyMap<keyof DoorPorts, number>,
  { host, port }: DoorSettings["server"],
): DoorAddresses {
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const name = shown.includes(":") ? `[${shown}]` : shown;
  const of = (door: keyof DoorPorts): string => `http://${name}:${bound.get(door) ?? port}`;
  return { queries: of("queries"), admin: of("admin"), status: of("status"), ipfs: of("ipfs") };
}

/** Answers a refused query like a failed one. */
function sendQueryError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const problem = problemOf(error);
  logFailure(request, problem, error);
  if (problem.retryAfter !== undefined) reply.header("retry-after", String(problem.retryAfter));
  const isAuth = problem.type === "unauthorized" || problem.type === "forbidden";
  const message = isAuth ? `auth failure: ${problem.message}` : problem.message;
  return sendJson(reply.headers(everyOrigin), problem.status, JSON.stringify({ errors: [{ message }] }));
}

/** The admin port: JSON-RPC at `/`. It answers every request with 200, since tools lose other answers. */
function adminDoor(given: Omit<AdminScope, "turns">, limits: DoorLimits): Routes {
  const scope: AdminScope = { ...given, turns: new FairTurns(deployTurns) };
  return (app: FastifyInstance) => {
    acceptTexts(app);
    app.setErrorHandler((error: unknown, request, reply) => {
      const problem = problemOf(error);
      logFailure(request, problem, error);
      return sendRpc(reply, refusalBody(new RpcError(-32_600, problem.message)));
    });
    app.post(
      "/",
      { config: anyone, onRequest: [refuseForeignPages, limits.count] },
      async (request, reply) => {
        const { body } = request;
        return sendRpc(
          reply,
          await answerRpc(typeof body === "string" ? body : "", adminMethods(scope, request)),
        );
      },
    );
    app.route({
      method: ["GET", "PUT", "PATCH", "DELETE", "OPTIONS"],
      url: "/",
      config: anyone,
      handler: async (_, reply) => reply.status(405).header("allow", "POST").send(""),
    });
    app.all("/*", { config: anyone }, async (_, reply) => reply.status(404).send(""));
  };
}

function sendRpc(reply: FastifyReply, body: string): FastifyReply {
  return reply.status(200).header("content-type", "application/json").send(Buffer.from(body));
}
