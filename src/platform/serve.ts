import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import { ListenError, listenError } from "../base/listen-error.js";
import type { Meters } from "../base/meters.js";
import type { Tracing } from "../base/tracing.js";
import type { MemoryGuard } from "../base/turns/memory-guard.js";
import type { World } from "../base/world.js";
import type { Hosting } from "../hosting/engine.js";
import type { SayLine } from "../rpc/node-watch.js";
import { Nodes } from "../rpc/nodes.js";
import type { Database } from "../store/database/database.js";
import { migrate } from "../store/database/migrate.js";
import { watchMigrations } from "../store/database/watch-migrations.js";
import { createApp } from "./http/app.js";
import { closeApp } from "./http/close-app.js";
import type { GuardedRoute } from "./http/roles.js";
import { firstProject } from "./people/first-project.js";
import type { DataService, Platform, PlatformSettings, Quotas } from "./platform.js";
import { isOfThisMachine, ownHosts, type Reach } from "./reach.js";
import { checkSecretKey } from "./sealing/server-key.js";
import type { RunningPart, ServerPart } from "./server-part.js";
import { aimedBuilds } from "./subgraphs/builds.js";

export { ListenError };

/** How to start a server. */
export interface ServeOptions extends Reach {
  /** Closed together with the server. */
  readonly database: Database;
  readonly world: World;
  /** The 32 bytes that encrypt secrets. */
  readonly secretKey: Uint8Array;
  /** Addresses of JSON-RPC nodes by network. If one fails, the next is used. */
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** Requests per second to the nodes of a network; no limit by default. */
  readonly requestsPerSecond?: number | undefined;
  /** Milliseconds between polls of a chain's head; one second by default. */
  readonly pollInterval?: number;
  /** Called when a node goes down, and when it is up again. */
  readonly say?: SayLine | undefined;
  /** 0 for any free port. */
  readonly port: number;
  /** Private addresses and networks that users' URLs may lead to. */
  readonly reachable?: readonly string[];
  /** The data service, or how to create one on the nodes of the server. */
  readonly dataService?: DataService | ((nodes: Nodes) => DataService);
  /** Quotas of projects that differ from the defaults. */
  readonly quotas?: Partial<Quotas>;
  readonly version: string;
  /** Whether the server is still starting up; `/ready` waits for it. */
  readonly isStarting?: () => boolean;
  /** Creates a key for the owner of the project even if the project already exists. */
  readonly wantsKey?: boolean;
  readonly createHosting: (nodes: Nodes) => Promise<Hosting>;
  readonly parts: readonly ServerPart[];
  readonly logger?: FastifyBaseLogger;
  /** Counts work; absent to count nothing. */
  readonly meters?: Meters;
  /** Sends traces to a collector; the server does not close it. */
  readonly tracing?: Tracing | undefined;
  /** As in `Platform`. */
  readonly memory?: MemoryGuard | undefined;
}

/** A server that listens. */
export interface RunningServer {
  readonly address: string;
  readonly project: string;
  /** The owner's key, if this start created one. */
  readonly newKey?: string;
  readonly platform: Platform;
  /** All routes and who may use them. */
  readonly routes: readonly GuardedRoute[];
  /** Shuts down in order: stops accepting requests, ends the engines at a block, closes the database. */
  close(): Promise<void>;
}

/**
 * Starts a server.
 * @throws ListenError when it cannot listen on the port; DatabaseError when it cannot use the database. Both
 *   include a remedy, and leave nothing open.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { database, secretKey, world, parts, publicAddress, reachable = [], trustedProxies = [] } = options;
  const opened: (() => Promise<void>)[] = [() => database.close()];
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    // A failure to close must not stop the others: the database may be unreachable.
    for (const close of opened.splice(0).reverse()) await close().catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  };
  try {
    await migrate(database);
    opened.push(watchMigrations(database, world, (sentence) => options.logger?.error(sentence)));
    await checkSecretKey(database, secretKey);
    const { id: project, key: newKey } = await firstProject(database, options.wantsKey);
    let address = publicAddress;
    const isOwnHost = ownHosts(options);
    const { meters, tracing, memory, pollInterval, requestsPerSecond, say, dataService } = options;
    const nodes = new Nodes(options.nodes, world, { requestsPerSecond, pollInterval, meters, say });
    opened.push(async () => nodes.close());
    const settings: PlatformSettings = {
      address: () => address ?? "",
      isLoopback: isOfThisMachine(options),
      ...(isOwnHost && { isOwnHost }),
      reachable,
      trustedProxies,
      nodes: options.nodes,
      ...(dataService && {
        dataService: typeof dataService === "function" ? dataService(nodes) : dataService,
      }),
      ...(options.isStarting && { isStarting: options.isStarting }),
      ...(options.quotas && { quotas: options.quotas }),
      version: options.version,
    };
    const hosting = await options.createHosting(nodes);
    opened.push(() => hosting.close());
    const platform: Platform = {
      database,
      world,
      hosting,
      nodes,
      settings,
      secretKey,
      meters,
      tracing,
      memory,
    };
    const running: RunningPart[] = [];
    for (const part of parts) {
      const one = await part(platform);
      running.push(one);
      if (one.close) opened.push(one.close);
    }
    const app = await createApp(
      platform,
      running.flatMap(({ routes = [] }) => routes),
      options.logger,
    );
    opened.push(() => closeApp(app, world));
    address ??= await listen(app, options);
    if (publicAddress !== undefined) await listen(app, options);
    for (const one of running) await one.listen?.();
    await reconcileOwn(database, hosting);
    return {
      address: settings.address(),
      project,
      ...(newKey !== undefined && { newKey }),
      platform,
      routes: app.guardedRoutes,
      close: closeAll,
    };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/**
 * Starts all engines, but waits only for those of this program: a graph-node that hangs must not keep the server from
 * starting, and the server retries failed steps later. @throws DatabaseError
 */
async function reconcileOwn(database: Database, hosting: Hosting): Promise<void> {
  // An engine that takes any network is a separate program.
  const others = new Set(hosting.engines.filter(({ takesAny }) => takesAny).map(({ name }) => name));
  const own = (await aimedBuilds(database)).filter(({ engine }) => !others.has(engine));
  await hosting.reconcile(own.map(({ deployment }) => deployment));
}

/** @returns the address that the server listens on @throws ListenError */
async function listen(app: FastifyInstance, { host, port }: ServeOptions): Promise<string> {
  try {
    await app.listen({ host, port });
  } catch (error) {
    throw listenError(error, host, port);
  }
  const bound = app.server.address();
  const shown = host === "0.0.0.0" || host === "::" ? "127.0.0.1" : host;
  const name = shown.includes(":") ? `[${shown}]` : shown;
  return `http://${name}:${typeof bound === "object" && bound ? bound.port : port}`;
}
