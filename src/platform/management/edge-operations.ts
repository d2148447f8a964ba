import type { EdgeEndpoint as ShownEndpoint } from "../../api/contract.js";
import { present } from "../../base/invariant.js";
import { chainIds } from "../../hosting/chain-ids.js";
import {
  type EdgeChange,
  type EdgeEndpoint,
  listEdgeEndpoints,
  readEdgeCounts,
} from "../edge/edge-endpoints.js";
import { edgeNameIn } from "../edge/edge-names.js";
import {
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  requireEndpoint,
  revealEndpointKey,
} from "../edge/manage-endpoints.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import type { Ask, Handlers } from "./operations.js";
import { pagination } from "./pages.js";

type EdgeOperations = Pick<
  Handlers,
  | "listEdgeNetworks"
  | "listEdgeSources"
  | "listEdgeEndpoints"
  | "createEdgeEndpoint"
  | "getEdgeEndpoint"
  | "updateEdgeEndpoint"
  | "deleteEdgeEndpoint"
  | "pauseEdgeEndpoint"
  | "resumeEdgeEndpoint"
  | "revealEdgeEndpointKey"
  | "getEdgeEndpointMetrics"
>;

/** A request that names an endpoint. */
type AskOfEndpoint = Pick<Ask<"getEdgeEndpoint">, "path" | "request">;

const minutes: Readonly<Record<string, number>> = { "1m": 1, "5m": 5, "1h": 60, "6h": 360, "1d": 1440 };
const day = 86_400_000;
/** Points of an answer; a longer span needs larger buckets. */
const mostPoints = 10_000;

/** Endpoints: keys in front of the chains' nodes and of the data service. */
export function edgeOperations(platform: Platform): EdgeOperations {
  const { database, hosting, settings, world } = platform;
  const logo = (): string => `${settings.address()}/assets/icon.svg`;
  const changed = async ({ path, request }: AskOfEndpoint, change: EdgeChange) => ({
    data: endpointAnswer(await changeEndpoint(database, callerOf(request), edgeNameIn(path), change)),
  });

  return {
    listEdgeNetworks: async () => {
      const ids = await chainIds(hosting);
      const networks = [...settings.nodes.keys()].map((network) => ({
        chain_id: ids.get(network) ?? null,
        name: network,
        network_name: network,
        chain_name: network,
        logo_url: logo(),
      }));
      return { data: networks };
    },
    listEdgeSources: async () => {
      const own = { provider_id: "own", provider_name: "this server", logo_url: logo() };
      const nodes = [...settings.nodes.keys()].map((network) => ({
        id: network,
        name: network,
        ...own,
        description: `The nodes of ${network} that this server was started with`,
        endpoint: `${settings.address()}/edge/rpc/${encodeURIComponent(network)}`,
      }));
      const data = {
        id: "data",
        name: "data service",
        ...own,
        description: "The data service that this server was started with",
        endpoint: `${settings.address()}/edge/data`,
      };
      return { data: settings.dataService ? [...nodes, data] : nodes };
    },
    listEdgeEndpoints: async ({ query, request }) => {
      const found = await listEdgeEndpoints(database, callerOf(request).project, query.product);
      return {
        data: found.map(endpointAnswer),
        pagination: pagination(Math.max(found.length, 1), undefined),
      };
    },
    createEdgeEndpoint: async ({ body, request }) => {
      const asked = present(body, "a new endpoint has a body");
      const { endpoint, key, warnings } = await createEndpoint(platform, callerOf(request), {
        name: asked.name,
        product: asked.product === "data" ? "data" : "rpc",
        budget: asked.rate_limit_budget ?? null,
        domains: asked.allowed_domains ?? [],
      });
      return {
        data: { ...endpointAnswer(endpoint), api_key: key },
        ...(warnings.length > 0 && { warnings }),
      };
    },
    getEdgeEndpoint: async ({ path, request }) => ({
      data: endpointAnswer(await requireEndpoint(database, callerOf(request), edgeNameIn(path))),
    }),
    updateEdgeEndpoint: ({ body = {}, ...ask }) => {
      const { rate_limit_budget: budget, allowed_domains: domains } = body;
      return changed(ask, { ...(budget !== undefined && { budget }), ...(domains && { domains }) });
    },
    deleteEdgeEndpoint: async ({ path, request }) => {
      await removeEndpoint(database, callerOf(request), edgeNameIn(path));
      return undefined;
    },
    pauseEdgeEndpoint: (ask) => changed(ask, { isPaused: true }),
    resumeEdgeEndpoint: (ask) => changed(ask, { isPaused: false }),
    revealEdgeEndpointKey: async ({ path, request }) => ({
      data: { api_key: await revealEndpointKey(platform, callerOf(request), edgeNameIn(path)) },
    }),
    getEdgeEndpointMetrics: async ({ path, query, request }) => {
      const found = await requireEndpoint(database, callerOf(request), edgeNameIn(path));
      const to = query.to === undefined ? world.now() : Date.parse(query.to);
      const from = query.from === undefined ? to - day : Date.parse(query.from);
      const span = minutes[query.bucket_size ?? "1h"] ?? 60;
      if (from > to) throw outOfRange("from", "must not be later than to");
      if ((to - from) / (span * 60_000) > mostPoints)
        throw outOfRange("bucket_size", "is too small for so long a period");
      const counts = await readEdgeCounts(database, found, { from, to, span });
      const points = (of: "requests" | "errors") =>
        counts.map((count) => ({ time: new Date(count.time).toISOString(), value: count[of] }));
      return { data: { requests: points("requests"), errors: points("errors") } };
    },
  };
}

function outOfRange(field: string, message: string): Problem {
  return new Problem("bad-request", `The query has invalid fields: ${field}.`, {
    errors: [{ field, message }],
  });
}

function endpointAnswer({
  name,
  product,
  budget,
  domains,
  createdAt,
  updatedAt,
  pausedAt,
}: EdgeEndpoint): ShownEndpoint {
  return {
    name,
    product,
    status: pausedAt ? "PAUSED" : "ACTIVE",
    rate_limit_budget: budget,
    allowed_domains: domains,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    paused_at: pausedAt?.toISOString() ?? null,
  };
}
