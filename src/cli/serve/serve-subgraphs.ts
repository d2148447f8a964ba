import { createRequire } from "node:module";
import { visible } from "../../base/visible.js";
import { folderKey, keyOfText } from "../../node/secret-key.js";
import { createNodeWorld } from "../../node/world.js";
import { openDatabase } from "../../platform/database/open-database.js";
import { createSignInCodes, type SignInCodes } from "../../platform/pages/sign-in-codes.js";
import { type RunningServer, serve } from "../../platform/serve.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";
import { dashboardAddress } from "./dashboard-address.js";
import { explainServing } from "./explain-serving.js";
import { openHosting } from "./open-hosting.js";
import { rememberServer } from "./remember-server.js";
import { planServing, type ServeArguments, type ServePlan } from "./serve-arguments.js";
import { createServerLog } from "./server-log.js";
import { serverParts } from "./server-parts.js";

const { version } = createRequire(import.meta.url)("../../../package.json") as { readonly version: string };

/** Serves until interrupted; returns the exit code. */
export async function serveSubgraphs(args: ServeArguments, terminal: Terminal): Promise<number> {
  const plan = planServing(args, terminal.cwd, terminal.env ?? {});
  const codes = createSignInCodes(createNodeWorld());
  try {
    terminal.onWriting(true);
    const server = await start(plan, args, codes, terminal);
    try {
      await introduce(server, plan, codes, terminal);
      await aborted(terminal.signal);
      // From here on, a second interrupt ends the program at once.
      terminal.onWriting(false);
      terminal.err(
        "Ending: requests and blocks that are being worked on are completed; interrupt again to end at once.\n",
      );
    } finally {
      await server.close();
    }
    terminal.onServed?.();
    return exitCodes.clean;
  } catch (error) {
    return explainServing(error, terminal);
  } finally {
    terminal.onWriting(false);
  }
}

async function start(
  plan: ServePlan,
  args: ServeArguments,
  codes: SignInCodes,
  terminal: Terminal,
): Promise<RunningServer> {
  const secretKey = await keyOf(plan, terminal);
  const world = createNodeWorld();
  const logger = createServerLog(args, terminal.err);
  const database = await openDatabase(plan.database, world);
  return serve({
    database,
    world,
    secretKey,
    nodes: plan.nodes,
    host: args.host,
    port: args.port,
    ...(plan.publicAddress !== undefined && { publicAddress: plan.publicAddress }),
    version,
    wantsKey: args.newKey,
    createHosting: (settings) => openHosting(database, settings, plan),
    parts: serverParts({ codes }, {}, logger),
    logger,
  });
}

/** The key that secrets are encrypted with: the environment's, or the folder's. */
async function keyOf({ data }: ServePlan, terminal: Terminal): Promise<Uint8Array> {
  const given = terminal.env?.GRAPHLOOM_SECRET_KEY;
  if (given) return keyOfText(given);
  if (data !== undefined) return folderKey(data);
  throw new UsageError(
    "Give --data <folder> as well, for the key that secrets are encrypted with, or set GRAPHLOOM_SECRET_KEY.",
  );
}

/** Says where everything is. */
async function introduce(
  server: RunningServer,
  { nodes, graphNode }: ServePlan,
  codes: SignInCodes,
  terminal: Terminal,
): Promise<void> {
  const { address, project, newKey } = server;
  const apiUrl = `${address}/api/v1`;
  const networks = [...new Set(server.platform.hosting.engines.flatMap((engine) => engine.networks))];
  const lines = [
    `graphloom ${version} serves at ${address}`,
    `  dashboard       ${await dashboardAddress(server, codes, terminal)}`,
    `  management API  ${apiUrl}`,
    `  explorer        ${apiUrl}/docs`,
    `  queries         ${address}/api/public/${project}/subgraphs/<name>/<version>/gn`,
    `  indexes         ${[...networks.map(visible), ...(graphNode ? ["what graph-node can"] : [])].join(", ") || "nothing"}`,
    ...(nodes.size === 0 && !graphNode
      ? ["  No node is known: give --rpc <network>=<url> to have something indexed."]
      : []),
    ...(await rememberServer({ apiUrl, newKey }, terminal)),
  ];
  terminal.out(`${lines.join("\n")}\n`);
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
