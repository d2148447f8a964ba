import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { join } from "node:path";
import { openArchiveFiles } from "../../machine/files/archive-files.js";
import { folderKey } from "../../machine/logins/secret-key.js";
import { readManual } from "../../machine/manual.js";
import { createNodeWorld } from "../../machine/world.js";
import { pipelinesOn } from "../../pipelines/host/create-pipeline-engine.js";
import { oneClient } from "../../platform/endpoints/options.js";
import type { Draft } from "../../platform/pages/draft.js";
import { ListenError } from "../../platform/serve.js";
import { type StartedServer, startServer } from "../../platform/start-server.js";
import type { SayLine } from "../../rpc/node-watch.js";
import type { SourcePlace } from "../../runtime/sources/create-source.js";
import type { ImageStore } from "../../store/database/pglite/images.js";
import { openDatabase } from "../../store/open.js";
import { agentTools } from "../mcp/agent-tools.js";
import { createServerLog } from "../serve/server-log.js";
import type { Terminal } from "../terminal/terminal.js";
import { type DevPlan, devHost, usualPort } from "./dev-arguments.js";

const { version } = createRequire(import.meta.url)("../../../package.json") as { readonly version: string };

const anyPort = 0;

/** The parts that the server of `dev` needs besides its plan. */
export interface ServerNeeds {
  readonly terminal: Terminal;
  /** Called when a node becomes unreachable, and when it answers again. */
  readonly say: SayLine;
  /** The content of pages in place of builds. */
  readonly draft: Draft;
  /** Services with history, by network. */
  readonly histories: ReadonlyMap<string, SourcePlace>;
  /** Where images of new databases are kept, from which a database starts faster. */
  readonly images: ImageStore | undefined;
}

/**
 * Starts the server of `serve` for one developer on this machine.
 * The database is in memory unless the plan names a folder.
 * @param nodes addresses of nodes by network
 * @param needs the parts that the server needs besides its plan
 * @throws ListenError, DatabaseError, SecretKeyError
 */
export async function startDevServer(
  plan: DevPlan,
  nodes: ReadonlyMap<string, string>,
  needs: ServerNeeds,
): Promise<StartedServer> {
  const startAt = (port: number) => start(port, plan, nodes, needs);
  try {
    return await startAt(plan.port ?? usualPort);
  } catch (error) {
    if (!(error instanceof ListenError) || plan.port !== undefined) throw error;
    const server = await startAt(anyPort);
    needs.terminal.err(`Port ${usualPort} is in use, so dev listens at ${server.address}.\n`);
    return server;
  }
}

async function start(
  port: number,
  { data, gateways, verify, proofs, archive, doors }: DevPlan,
  nodes: ReadonlyMap<string, string>,
  { terminal, say, draft, images, histories }: ServerNeeds,
): Promise<StartedServer> {
  const world = createNodeWorld();
  const secretKey = data === undefined ? randomBytes(32) : await folderKey(data);
  // The same layout as `serve --data`, which may continue with the same folder.
  const place = data === undefined ? "" : join(data, "database");
  const database = await openDatabase(data === undefined ? undefined : place, world, images);
  return startServer({
    createPipelines: pipelinesOn({
      address: undefined,
      verify,
      archive: archive === undefined ? undefined : openArchiveFiles(archive),
      files: data === undefined ? undefined : join(data, "pipelines"),
      say,
    }),
    createAgentTools: agentTools(),
    database,
    world,
    secretKey,
    nodes: new Map([...nodes].map(([network, url]) => [network, [url]])),
    host: devHost,
    port,
    doors,
    version,
    engines: {
      database: place,
      verify,
      gateways,
      histories,
      proofs,
      ...(archive !== undefined && { archive: openArchiveFiles(archive) }),
    },
    say,
    pages: { isOpen: true, draft, manual: readManual() },
    // There is only one client.
    queries: oneClient,
    logger: createServerLog({ format: "text", level: "warn" }, terminal.err),
  });
}
