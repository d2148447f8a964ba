import type { FastifyBaseLogger } from "fastify";
import { doorsPart } from "./doors/doors-part.js";
import type { DoorSettings } from "./doors/settings.js";
import { edgePart } from "./edge/edge-part.js";
import { createEndpointScope, endpointRoutes } from "./endpoints/endpoints.js";
import type { QueryEndpointOptions } from "./endpoints/options.js";
import type { HostedCluster } from "./hosted-sinks/hosted-cluster.js";
import type { Routes } from "./http/app.js";
import { type CreateDatasetSource, datasetsPart } from "./management/datasets/datasets-part.js";
import { dumpsPart } from "./management/dumps-part.js";
import { hostedSinksPart } from "./management/hosted-sinks/hosted-sinks-part.js";
import { managementPart } from "./management/management-part.js";
import { nodesPart } from "./management/nodes-part.js";
import { noPipelinesPart } from "./management/not-there-yet.js";
import { accountsPart } from "./management/people/accounts-part.js";
import {
  type CreatePipelineEngine,
  type PipelineTimes,
  pipelinesPart,
} from "./management/pipelines/pipelines-part.js";
import { restoresPart } from "./management/restores-part.js";
import { secretsPart } from "./management/secrets/secrets-part.js";
import { webhookPart } from "./management/webhooks/webhook-part.js";
import { type CreateAgentTools, mcpRoutes } from "./mcp/mcp-routes.js";
import { addPages } from "./pages/page-routes.js";
import type { PageOptions } from "./pages/page-scope.js";
import { identifyBrowser } from "./pages/sign-in/identify-browser.js";
import type { SignInCodes } from "./pages/sign-in/sign-in-codes.js";
import { queryPageTabs } from "./pages/subgraph/tabs.js";
import type { Accounts } from "./people/accounts.js";
import type { Pipelines } from "./pipelines/pipelines.js";
import type { ServerPart } from "./server-part.js";
import { subgraphReferences } from "./subgraph-references.js";

/** Parts that a server may do without. */
export interface OptionalParts {
  /** Creates the source of dataset files; without it, the server offers none. */
  readonly createDatasets?: CreateDatasetSource | undefined;
  /** Whether projects may restore dumps. What one restores is what others get that deploy the same. */
  readonly restores?: boolean | undefined;
  /** Creates the engine of pipelines; without it, the server runs none. */
  readonly createPipelines?: CreatePipelineEngine | undefined;
  /** Times of pipelines that differ from the usual ones. */
  readonly pipelineTimes?: Partial<PipelineTimes> | undefined;
  /** Where databases of projects are; without it, the server hosts none. */
  readonly hostedCluster?: HostedCluster | undefined;
  /** Ports for tools that were written for graph-node; without it, the server has none. */
  readonly doors?: DoorSettings | undefined;
  /** Creates tools for coding agents that need more than the server itself, such as a compiler. */
  readonly createAgentTools?: CreateAgentTools | undefined;
}

/**
 * The parts of the server of `serve` and `dev`.
 * @param queries limits on queries that differ from the defaults
 */
export function serverParts(
  pages: PageOptions & { readonly codes: SignInCodes; readonly accounts: Accounts },
  queries: Partial<QueryEndpointOptions> = {},
  log?: FastifyBaseLogger,
  {
    createDatasets,
    restores,
    createPipelines,
    pipelineTimes,
    hostedCluster,
    doors,
    createAgentTools,
  }: OptionalParts = {},
): readonly ServerPart[] {
  const pagesWith =
    (pipelines?: Pipelines): Routes =>
    (app, platform) =>
      addPages(app, platform, pages, pipelines);
  return [
    managementPart(subgraphReferences),
    // Before pipelines, which read the addresses of hosted databases.
    hostedSinksPart(hostedCluster, { say: (level, text) => log?.[level](text) }),
    ...(createPipelines
      ? [pipelinesPart(createPipelines, pagesWith, pipelineTimes)]
      : [noPipelinesPart, () => ({ routes: pagesWith() })]),
    accountsPart(pages.accounts),
    datasetsPart(createDatasets),
    dumpsPart(),
    restoresPart({ isOn: restores ?? false }),
    edgePart,
    secretsPart,
    nodesPart(pages.nodeCounts),
    () => ({ routes: mcpRoutes(pages.manual ?? [], createAgentTools) }),
    (platform) => webhookPart(platform, log),
    (platform) => {
      const options = { ofBrowser: identifyBrowser(pages), tabsOf: queryPageTabs, ...queries };
      const scope = createEndpointScope(platform, options);
      const routes = endpointRoutes(scope);
      if (!doors) return { routes };
      const surroundings = { endpoints: scope, references: subgraphReferences, logger: log };
      const { routes: more = [], ...part } = doorsPart(platform, doors, surroundings);
      return { ...part, routes: [routes, ...[more].flat()] };
    },
  ];
}
