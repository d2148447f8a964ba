import type { FastifyBaseLogger, FastifyInstance } from "fastify";
import type { Meters } from "../base/meters.js";
import type { World } from "../base/world.js";
import type { Hosting } from "../hosting/engine.js";
import type { Database } from "../store/database/database.js";
import { migrate } from "../store/database/migrate.js";
import { watchMigrations } from "../store/database/watch-migrations.js";
import { createApp } from "./http/app.js";
import type { GuardedRoute } from "./http/roles.js";
import { ListenError, listenError } from "./listen-error.js";
import { firstProject } from "./people/first-project.js";
import type { DataService, Platform, PlatformSettings, Quotas } from "./platform.js";
import { isOfThisMachine, ownHosts, type Reach } from "./reach.js";
import { checkSecretKey } from "./sealing/server-key.js";
import type { RunningPart, ServerPart } from "./server-part.js";
import { aimedBuilds } from "./subgraphs/builds.js";

export { ListenError };

/** How a server is to be started. */
export interface ServeOptions extends Reach {
  /** It is closed with the server. */
  readonly database: Database;
  readonly world: World;
  /** The 32 bytes that secrets are encrypted with. */
  readonly secretKey: Uint8Array;
  readonly nodes: ReadonlyMap<string, readonly string[]>;
  /** 0 for any that is free. */
  readonly port: number;
  /** Private addresses and networks that users' URLs may lead to. */
  readonly reachable?: readonly string[];
  readonly dataService?: DataService;
  /** What projects can have, where that differs from the defaults. */
  readonly quotas?: Partial<Quotas>;
  readonly version: string;
  /** Whether something is still to be done before the server is of use: `/ready` waits for it. */
  readonly isStarting?: () => boolean;
  /** Makes a key for the owner of the project, also when there is one. */
  readonly wantsKey?: boolean;
  readonly createHosting: (settings: PlatformSettings) => Promise<Hosting>;
  readonly parts: readonly ServerPart[];
  readonly logger?: FastifyBaseLogger;
  /** Where work is counted; it is not when left out. */
  readonly meters?: Meters;
}

/** A server that listens. */
export interface RunningServer {
  readonly address: string;
  readonly project: string;
  /** The owner's key, when one was made just now. */
  readonly newKey?: string;
  readonly platform: Platform;
  /** All routes and who may use them. */
  readonly routes: readonly GuardedRoute[];
  /** Ends it in order: nothing more is accepted, engines end at a block, the database is closed. */
  close(): Promise<void>;
}

/** Milliseconds that requests have to end when the server does. */
const lastRequests = 10_000;

/**
 * Starts a server.
 * @throws ListenError when the port cannot be had; DatabaseError when the database is not one for it. Both say what to
 * do, and nothing is left open then.
 */
export async function serve(options: ServeOptions): Promise<RunningServer> {
  const { database, secretKey, world, parts, publicAddress, reachable = [], trustedProxies = [] } = options;
  const opened: (() => Promise<void>)[] = [() => database.close()];
  const closeAll = async (): Promise<void> => {
    const failures: unknown[] = [];
    // What cannot end in order holds nothing else up: the database may be away.
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
    const settings: PlatformSettings = {
      address: () => address ?? "",
      isLoopback: isOfThisMachine(options),
      ...(isOwnHost && { isOwnHost }),
      ...{ reachable, trustedProxies },
      nodes: options.nodes,
      ...(options.dataService && { dataService: options.dataService }),
      ...(options.isStarting && { isStarting: options.isStarting }),
      ...(options.quotas && { quotas: options.quotas }),
      version: options.version,
    };
    const hosting = await options.createHosting(settings);
    opened.push(() => hosting.close());
    const { meters } = options;
    const platform: Platform = { database, world, hosting, settings, secretKey, meters };
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
 * Has all engines begin, and waits for those of this program alone: a graph-node that hangs is no reason not to serve, and
 * what it cannot do is tried again. @throws DatabaseError
 */
async function reconcileOwn(database: Database, hosting: Hosting): Promise<void> {
  // An engine that does not tell its networks is another program.
  const others = new Set(hosting.engines.filter(({ takesAny }) => takesAny).map(({ name }) => name));
  const own = (await aimedBuilds(database)).filter(({ engine }) => !others.has(engine));
  await hosting.reconcile(own.map(({ deployment }) => deployment));
}

/** @returns the address that it listens at @throws ListenError */
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

/** Those that are being answered may end; who takes too long is cut off. */
async function closeApp(app: FastifyInstance, world: World): Promise<void> {
  world.timeout(lastRequests).addEventListener("abort", () => app.server.closeAllConnections());
  await app.close();
}
