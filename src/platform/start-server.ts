import { allMeters } from "../base/meters.js";
import { createDatasetSource } from "../hosting/datasets/dataset-source.js";
import { sharedSources } from "../hosting/embedded/turns/shared-source.js";
import type { SayLine } from "../rpc/node-watch.js";
import { importEnsNames } from "../store/deployments/ens-names.js";
import type { DoorAddresses, DoorSettings } from "./doors/settings.js";
import type { QueryEndpointOptions } from "./endpoints/options.js";
import { figuresPart } from "./figures/figures-part.js";
import { NodeCounts } from "./figures/node-counts.js";
import { FigureRecorder } from "./figures/recorder.js";
import type { HostedCluster } from "./hosted-sinks/hosted-cluster.js";
import { logFailures } from "./log-failures.js";
import type { CreatePipelineEngine } from "./management/pipelines/pipelines-part.js";
import type { CreateAgentTools } from "./mcp/mcp-routes.js";
import type { MetricsReaders } from "./metrics/metrics-view.js";
import { type EngineSettings, openHosting } from "./open-hosting.js";
import type { PageOptions } from "./pages/page-scope.js";
import { createSignInCodes } from "./pages/sign-in/sign-in-codes.js";
import { findOwner } from "./people/first-project.js";
import { type AccountSettings, openAccounts } from "./people/open-accounts.js";
import { type RunningServer, type ServeOptions, serve } from "./serve.js";
import { serverParts } from "./server-parts.js";

/** How to start a complete server. */
export interface ServerSettings extends Omit<ServeOptions, "createHosting" | "parts" | "meters"> {
  readonly engines: EngineSettings;
  /** How people get accounts; without it, by keys and invitations only. */
  readonly accounts?: AccountSettings;
  readonly pages?: PageOptions;
  /** Limits on queries that differ from the defaults. */
  readonly queries?: Partial<QueryEndpointOptions>;
  /** Whether to offer files of datasets, which costs requests to the nodes. */
  readonly datasets?: boolean;
  /** Whether projects may restore dumps. */
  readonly restores?: boolean;
  /** Creates the engine of pipelines; without it, the server runs none. */
  readonly createPipelines?: CreatePipelineEngine | undefined;
  /** Where databases of projects are; without it, the server hosts none. */
  readonly hostedCluster?: HostedCluster | undefined;
  /** Ports for tools that were written for graph-node; without it, the server has none. */
  readonly doors?: Omit<DoorSettings, "server" | "onListening"> | undefined;
  /** Creates tools for coding agents that need more than the server itself, such as a compiler. */
  readonly createAgentTools?: CreateAgentTools | undefined;
  /** Who may read metrics; without it, the server has none. */
  readonly metrics?: MetricsReaders | undefined;
  /** ENS names to import before indexing starts. */
  readonly ensNames?: Parameters<typeof importEnsNames>[1] | undefined;
  /** Called when a node goes down, and when it is up again; without it, the log gets these lines. */
  readonly say?: SayLine | undefined;
}

/** A complete server that listens. */
export interface StartedServer extends RunningServer {
  /** The ports for tools that were written for graph-node, if the server has any. */
  readonly doors?: DoorAddresses;
  /**
   * A one-time code that signs the owner of the first project in at `/sign-in?code=`; `undefined` without an owner.
   * @throws DatabaseError
   */
  signInCode(): Promise<string | undefined>;
}

/**
 * Starts the server of `serve` and `dev`: the management API, the edge, secrets, webhooks, queries, pages and metrics
 * on top of the engines.
 * @throws ListenError when it cannot listen on the port; DatabaseError; EnsNamesError for an invalid table of names
 */
export async function startServer({
  engines,
  accounts = {},
  pages = {},
  queries,
  datasets: hasDatasets = false,
  restores = false,
  createPipelines,
  hostedCluster,
  doors,
  createAgentTools,
  metrics: readers,
  ensNames,
  say,
  ...options
}: ServerSettings): Promise<StartedServer> {
  const { database, world, logger, tracing } = options;
  const deafen = logFailures(logger);
  const codes = createSignInCodes(world);
  const metrics = readers && (await openMetrics(readers));
  const figures = new FigureRecorder(logger);
  const nodeCounts = new NodeCounts(() => world.now());
  const meters = allMeters([
    figures.meters,
    nodeCounts.meters,
    ...(metrics ? [metrics.meters] : []),
    ...(tracing ? [tracing.meters] : []),
  ]);
  const tell: SayLine = say ?? ((level, text) => logger?.[level](text));
  // Deployments and pipelines take turns at the same services.
  const histories = sharedSources(engines.histories ?? new Map(), world);
  let listening: DoorAddresses | undefined;
  const server = await serve({
    ...options,
    meters,
    say: tell,
    createHosting: async (nodes) => {
      if (ensNames) {
        const count = await importEnsNames(database, ensNames);
        logger?.info(`Imported ${count.toLocaleString("en")} ENS names`);
      }
      return openHosting(database, nodes, engines, { world, histories, say: tell, meters });
    },
    parts: [
      figuresPart(figures),
      ...serverParts(
        { ...pages, figures, nodeCounts, codes, accounts: openAccounts(accounts, world) },
        queries,
        logger,
        {
          createDatasets: hasDatasets
            ? ({ nodes }) => createDatasetSource({ ...engines, nodes, world, say: tell })
            : undefined,
          restores,
          createPipelines:
            createPipelines && ((server, reach) => createPipelines({ ...server, histories }, reach)),
          hostedCluster,
          createAgentTools,
          doors: doors && {
            ...doors,
            server: { host: options.host, port: options.port },
            onListening: (addresses) => {
              listening = addresses;
            },
          },
        },
      ),
      ...(metrics ? [metrics.part] : []),
    ],
  }).catch((error: unknown) => {
    deafen();
    throw error;
  });
  return {
    ...server,
    ...(listening && { doors: listening }),
    close: () => server.close().finally(deafen),
    async signInCode() {
      const owner = await findOwner(database);
      return owner && codes.issue(owner.id);
    },
  };
}

/** Loads the metrics library only if metrics are enabled. */
async function openMetrics(readers: MetricsReaders) {
  const [{ createServerMetrics }, { metricsPart }] = await Promise.all([
    import("./metrics/server-metrics.js"),
    import("./metrics/metrics-part.js"),
  ]);
  const metrics = createServerMetrics();
  return { meters: metrics.meters, part: metricsPart(metrics, readers) };
}
