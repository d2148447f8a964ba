import type { EdgeEndpoint as ShownEndpoint } from "../../api/contract.js";
import { chainIds } from "../../hosting/chain-ids.js";
import { isDomain } from "../edge/domains.js";
import {
  addEdgeEndpoint,
  changeEdgeEndpoint,
  deleteEdgeEndpoint,
  type EdgeEndpoint,
  type EdgeName,
  findEdgeEndpoint,
  listEdgeEndpoints,
  readEdgeCounts,
} from "../edge/edge-endpoints.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { requireRoom } from "../quotas/quotas.js";
import { randomToken } from "../sealing/hashed.js";
import { seal, unseal } from "../sealing/sealed.js";
import { checkEdgeName, edgeNameOf } from "./edge-names.js";
import type { Handlers } from "./operations.js";
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

const minutes: Readonly<Record<string, number>> = { "1m": 1, "5m": 5, "1h": 60, "6h": 360, "1d": 1440 };
const day = 86_400_000;
/** Points of an answer; a longer span needs larger buckets. */
const mostPoints = 10_000;

/** Endpoints: keys in front of the chains' nodes and of the data service. */
export function edgeOperations({ database, hosting, settings, secretKey, world }: Platform): EdgeOperations {
  const logo = (): string => `${settings.address()}/assets/icon.svg`;
  const place = ({ project, name }: EdgeName): string => `edge ${project}/${name}`;
  const required = async (name: EdgeName): Promise<EdgeEndpoint> => {
    const found = await findEdgeEndpoint(database, name);
    return found ?? missing(name);
  };
  const changed = async (name: EdgeName, change: Parameters<typeof changeEdgeEndpoint>[2]) => {
    const found = await changeEdgeEndpoint(database, name, change);
    return { data: shown(found ?? missing(name)) };
  };

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
        ...{ id: network, name: network, ...own },
        description: `The nodes of ${network} that this server was started with`,
        endpoint: `${settings.address()}/edge/rpc/${encodeURIComponent(network)}`,
      }));
      const data = {
        ...{ id: "data", name: "data service", ...own },
        description: "The data service that this server was started with",
        endpoint: `${settings.address()}/edge/data`,
      };
      return { data: settings.dataService ? [...nodes, data] : nodes };
    },
    listEdgeEndpoints: async ({ query, request }) => {
      const found = await listEdgeEndpoints(database, callerOf(request).project, query.product);
      return { data: found.map(shown), pagination: pagination(Math.max(found.length, 1), undefined) };
    },
    createEdgeEndpoint: async ({ body, request }) => {
      const {
        name,
        product = "rpc",
        rate_limit_budget: budget = null,
        allowed_domains: domains = [],
      } = body ?? { name: "" };
      checkDomains(domains);
      checkEdgeName(name);
      const own = { project: callerOf(request).project, name };
      const key = randomToken("ge");
      const sealedKey = seal(secretKey, key, place(own));
      const added = { ...own, key, sealedKey, budget, domains };
      const isAdded = await database.transaction(async (sql) => {
        await requireRoom(sql, settings, "endpoints", own.project);
        return addEdgeEndpoint(sql, { ...added, product: product === "data" ? "data" : "rpc" });
      });
      if (!isAdded)
        throw new Problem("conflict", `There is an endpoint "${name}" already; choose another name.`);
      const warnings =
        product === "data" && !settings.dataService
          ? [
              "This server was started without --data-service: the key opens nothing until it is started with one.",
            ]
          : [];
      const data = { ...shown(await required(own)), api_key: key };
      return { data, ...(warnings.length > 0 && { warnings }) };
    },
    getEdgeEndpoint: async ({ path, request }) => ({
      data: shown(await required(edgeNameOf(path, request))),
    }),
    updateEdgeEndpoint: async ({ path, body = {}, request }) => {
      const { rate_limit_budget: budget, allowed_domains: domains } = body;
      checkDomains(domains ?? []);
      return changed(edgeNameOf(path, request), {
        ...(budget !== undefined && { budget }),
        ...(domains && { domains }),
      });
    },
    deleteEdgeEndpoint: async ({ path, request }) => {
      const name = edgeNameOf(path, request);
      if (!(await deleteEdgeEndpoint(database, name))) missing(name);
      return undefined;
    },
    pauseEdgeEndpoint: ({ path, request }) => changed(edgeNameOf(path, request), { isPaused: true }),
    resumeEdgeEndpoint: ({ path, request }) => changed(edgeNameOf(path, request), { isPaused: false }),
    revealEdgeEndpointKey: async ({ path, request }) => {
      const found = await required(edgeNameOf(path, request));
      return { data: { api_key: unseal(secretKey, found.sealedKey, place(found)) } };
    },
    getEdgeEndpointMetrics: async ({ path, query, request }) => {
      const found = await required(edgeNameOf(path, request));
      const to = query.to === undefined ? world.now() : Date.parse(query.to);
      const from = query.from === undefined ? to - day : Date.parse(query.from);
      const span = minutes[query.bucket_size ?? "1h"] ?? 60;
      if (from > to) throw outOfRange("from", "is after the end");
      if ((to - from) / (span * 60_000) > mostPoints)
        throw outOfRange("bucket_size", "is too small for so long a time");
      const counts = await readEdgeCounts(database, found, { from, to, span });
      const points = (of: "requests" | "errors") =>
        counts.map((count) => ({ time: new Date(count.time).toISOString(), value: count[of] }));
      return { data: { requests: points("requests"), errors: points("errors") } };
    },
  };
}

function missing({ name }: EdgeName): never {
  throw new Problem("edge-endpoint-not-found", `There is no endpoint "${name}".`);
}

function outOfRange(field: string, message: string): Problem {
  return new Problem("bad-request", `Correct in the query: ${field}.`, { errors: [{ field, message }] });
}

/** @throws Problem */
function checkDomains(domains: readonly string[]): void {
  const errors = domains.flatMap((domain, index) =>
    isDomain(domain)
      ? []
      : [{ field: `allowed_domains.${index}`, message: "is no domain: example.com, *.example.com" }],
  );
  if (errors.length > 0)
    throw new Problem("bad-request", "Correct in the body: allowed_domains.", { errors });
}

function shown({
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
