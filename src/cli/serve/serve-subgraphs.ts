import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import type { FastifyBaseLogger } from "fastify";
import type { Tracing } from "../../base/tracing.js";
import type { World } from "../../base/world.js";
import { openArchiveFiles } from "../../machine/files/archive-files.js";
import { folderKey, keyOfText } from "../../machine/logins/secret-key.js";
import { readManual } from "../../machine/manual.js";
import { createMemoryGuard } from "../../machine/processes/memory-guard.js";
import { createNodeWorld } from "../../machine/world.js";
import { pipelinesOn } from "../../pipelines/host/create-pipeline-engine.js";
import type { SharedFlinkPlace } from "../../pipelines/host/flink/flink-place.js";
import { openHostedCluster } from "../../platform/hosted-sinks/hosted-cluster.js";
import { type StartedServer, startServer } from "../../platform/start-server.js";
import { isAddress, openDatabase } from "../../store/open.js";
import { withExamplePort, withoutPort } from "../../web/outgoing/opening.js";
import { openCache } from "../cache/open-cache.js";
import { agentTools } from "../mcp/agent-tools.js";
import { openFilledRows } from "../reader/open-rows.js";
import { namesInFile } from "../terminal/ens-names.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { explainServing } from "./explain-serving.js";
import type { GivenFlinkPlace } from "./flink-place-of.js";
import { introduce } from "./introduce.js";
import { openKafkaLogins } from "./kafka-logins.js";
import { openOwnService, timeLimit } from "./open-own-service.js";
import type { ServeArguments, ServePlan } from "./serve-arguments.js";
import { createServerLog } from "./server-log.js";

const { version } = createRequire(import.meta.url)("../../../package.json") as { readonly version: string };

const ending =
  "Shutting down: completing the requests and blocks in progress. Interrupt again to stop at once.";

const inTheClear =
  "Keys and passwords travel to this server unencrypted, so others on the network can read them. Put a proxy with a " +
  "certificate in front of this server, and pass its address as --public-address https://…";

/** Serves until interrupted; returns the exit code. */
export async function serveSubgraphs(
  plan: ServePlan,
  args: ServeArguments,
  terminal: Terminal,
): Promise<number> {
  const format = args.logFormat ?? (terminal.isTty ? "text" : "json");
  const logger = createServerLog({ format, level: args.logLevel }, terminal.err);
  const interrupted = aborted(terminal.signal).then(() => {
    // From here on, a second interrupt ends the program at once.
    terminal.onWriting(false);
    if (format === "json") logger.info(ending);
    else terminal.err(`${ending}\n`);
  });
  try {
    terminal.onWriting(true);
    let isStarting = true;
    const server = await start(plan, args, { logger, isStarting: () => isStarting }, terminal);
    try {
      if (plan.isInTheClear) logger.warn(inTheClear);
      for (const sentence of warningsOfOpenPorts(plan.reachable)) logger.warn(sentence);
      await introduce(server, { plan, version, format }, terminal);
      // Programs that wait for the server can read the owner's key from now on.
      isStarting = false;
      await interrupted;
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

/** The cache only saves time, so the server does not report that it is unusable. */
const quietly = { cache: true, verbose: false };

async function start(
  plan: ServePlan,
  { host, port, newKey, ensNames, datasets, restores }: ServeArguments,
  { logger, isStarting }: { readonly logger: FastifyBaseLogger; readonly isStarting: () => boolean },
  terminal: Terminal,
): Promise<StartedServer> {
  const secretKey = await secretKeyFor(plan, terminal);
  const flink = plan.flink && sharedPlace(plan.flink, terminal.cwd, (sentence) => logger.warn(sentence));
  const world = createNodeWorld();
  const database = await openDatabase(plan.database, world, openCache(quietly, terminal));
  const { nodes, publicAddress, trustedProxies, reachable, metrics, dataService, quotas, accounts } = plan;
  const address = isAddress(plan.database) ? plan.database : undefined;
  const archive = plan.archive === undefined ? undefined : openArchiveFiles(plan.archive);
  const metricsKey = terminal.env?.GRAPHLOOM_METRICS_KEY || undefined;
  const rows =
    plan.clickHouse &&
    (await openFilledRows(plan.clickHouse, { database, limit: timeLimit }, terminal.signal).catch(
      async (error: unknown) => {
        await database.close();
        throw error;
      },
    ));
  const memory = createMemoryGuard(plan.memory);
  const { hostedSinks } = plan;
  const hostedCluster =
    hostedSinks &&
    (await openHostedCluster(
      hostedSinks.address,
      { own: database, mayShare: hostedSinks.mayShare },
      world,
    ).catch(async (error: unknown) => {
      await rows?.close();
      await database.close();
      throw error;
    }));
  const tracing = await openTraces(plan, world, logger);
  const closeOthers = async (): Promise<void> => {
    await tracing?.close();
    await rows?.close();
    await hostedCluster?.database.close();
  };
  try {
    const server = await startServer({
      database,
      world,
      secretKey,
      nodes,
      requestsPerSecond: plan.requestsPerSecond,
      host,
      port,
      trustedProxies,
      reachable,
      version,
      logger,
      memory,
      tracing,
      ...(publicAddress !== undefined && { publicAddress }),
      ...(dataService && {
        dataService:
          dataService === "here"
            ? (shared) =>
                openOwnService(database, secretKey, shared, terminal.signal, {
                  store: rows?.store,
                  prices: plan.prices,
                  warn: (sentence) => logger.warn(sentence),
                })
            : dataService,
      }),
      quotas,
      wantsKey: newKey,
      isStarting,
      accounts,
      engines: { ...plan, archive },
      pages: { manual: readManual() },
      queries: { workShare: plan.workShare },
      datasets,
      restores,
      hostedCluster,
      doors: plan.doors,
      createAgentTools: agentTools(memory),
      createPipelines: pipelinesOn({
        address,
        verify: plan.verify,
        archive,
        flink,
        checkTime: plan.checkTime,
        memory,
        filesMegabytes: quotas.fileMegabytes,
        files: plan.data === undefined ? undefined : join(plan.data, "pipelines"),
        say: (level, text) => logger[level](text),
      }),
      ...(metrics !== "off" && {
        metrics: { isOpen: metrics === "open", ...(metricsKey !== undefined && { key: metricsKey }) },
      }),
      ...(ensNames !== undefined && { ensNames: namesInFile(ensNames, terminal.cwd) }),
    });
    const close = (): Promise<void> => server.close().finally(closeOthers);
    return { ...server, close };
  } catch (error) {
    await closeOthers();
    throw error;
  }
}

/** Opens the way to a collector of traces, if there is one. The SDK is loaded only then. */
async function openTraces(
  { traces }: ServePlan,
  world: World,
  logger: FastifyBaseLogger,
): Promise<Tracing | undefined> {
  if (!traces) return undefined;
  const { openTracing } = await import("../../machine/open-tracing.js");
  const endpoint = traces === "environment" ? undefined : traces.endpoint;
  return openTracing({ endpoint, version, world, warn: (sentence) => logger.warn(sentence) });
}

/** Warnings for the operator about openings without a port. */
function warningsOfOpenPorts(reachable: readonly string[]): readonly string[] {
  return withoutPort(reachable).map(
    (text) =>
      `--reachable ${text} opens every port there to the webhooks and pipelines of all projects. To open one port only, name it: --reachable ${withExamplePort(text)}`,
  );
}

/** The key that encrypts secrets, from the environment or the folder. */
async function secretKeyFor({ data }: ServePlan, terminal: Terminal): Promise<Uint8Array> {
  const given = terminal.env?.GRAPHLOOM_SECRET_KEY;
  if (given) return keyOfText(given);
  if (data !== undefined) return folderKey(data);
  throw new UsageError(
    "Also pass --data <folder>, for the key that encrypts secrets, or set GRAPHLOOM_SECRET_KEY.",
  );
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}

/**
 * The place that `--flows` names, with the logins of projects if it names any. @throws UsageError for an invalid file
 * of logins
 */
function sharedPlace(
  { gateway, kafka, logins }: GivenFlinkPlace,
  cwd: string,
  warn: (sentence: string) => void,
): SharedFlinkPlace {
  return {
    gateway,
    kafka,
    ...(logins !== undefined && { loginOf: openKafkaLogins(resolve(cwd, logins), warn) }),
  };
}
