import type { FastifyInstance } from "fastify";
import type { Operations } from "../../api/contract.js";
import type { WarnedSubgraph } from "../../api/deploy-form.js";
import { type RewindInfo, rewindOperations } from "../../api/rewind-operations.js";
import type { LogLevel, LogQuery } from "../../store/logs/log-line.js";
import { tableFacts } from "../../store/tables/table-facts.js";
import { addExtension } from "../http/add-extension.js";
import type { Routes } from "../http/app.js";
import { goneOf } from "../http/limits/gone-of.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { planRewind, type RewindPlan, rewindSubgraph } from "../rewind/rewind-subgraph.js";
import { requireEntry } from "../subgraphs/find-subgraph.js";
import { type Entities, plannedEntities } from "../subgraphs/plan-entities.js";
import {
  levelsFrom,
  listSubgraphs,
  openEntities,
  readLog,
  type ShownVersion,
  showSubgraph,
} from "../subgraphs/read-subgraphs.js";
import type { References } from "../subgraphs/references.js";
import { lostSource } from "../subgraphs/versions.js";
import { subgraphChanges } from "./change-subgraphs.js";
import { acceptForms } from "./deploy-form.js";
import { deploying } from "./deploy-subgraph.js";
import { downloads } from "./downloads.js";
import { edgeOperations } from "./edge-operations.js";
import { levelOf, levelsIn, logQueryOf } from "./log-query.js";
import { addOperations, type Handlers } from "./operations.js";
import { decodePageToken, pagination, usualPageSize } from "./pages.js";
import { subgraphOf } from "./show-subgraph.js";

/** The most versions and tags listed for one name. */
const mostOfName = 1000;

type Reads = "listSubgraphs" | "getSubgraph" | "getSubgraphVersion" | "listSubgraphChains";

/**
 * The operations of the management API, except those of webhooks, and downloads of builds.
 * @param references find what refers to versions and tags, besides tags
 */
export function managementRoutes(references: readonly References[] = []): Routes {
  return async (app, platform) => {
    addOperations(app, {
      ...subgraphReads(platform),
      ...subgraphFacts(platform),
      ...subgraphChanges(platform, references),
      ...edgeOperations(platform),
    });
    downloads(app, platform);
    rewinds(app, platform);
    await app.register(async (scope) => {
      addOperations(scope, deploying(platform));
      await acceptForms(scope);
    });
  };
}

/** Adds the routes that take versions back to a block. */
function rewinds(app: FastifyInstance, platform: Platform): void {
  const { planSubgraphRewind, rewindSubgraph: doing } = rewindOperations;
  addExtension(app, planSubgraphRewind, { role: "Viewer" }, async ({ path, query, request }) => {
    const { name = "", version = "" } = path;
    const asked = { number: query.block, hash: query.hash };
    return {
      data: infoOf(await planRewind(platform, callerOf(request), { name, version }, asked, goneOf(request))),
    };
  });
  addExtension(app, doing, { role: "Editor" }, async ({ path, body, request }) => {
    const { name = "", version = "" } = path;
    const asked = { number: body.block, hash: body.hash };
    const { from, to } = await rewindSubgraph(platform, callerOf(request), { name, version }, asked);
    return { data: { from_block: from, to_block: to.number } };
  });
}

function infoOf({ entry, from, to, tables, effects }: RewindPlan): RewindInfo {
  return {
    deployment_id: entry.deployment,
    from_block: from,
    to_block: to.number,
    to_hash: to.hash,
    tables: tables?.map(({ table, removed, restored }) => ({ name: table, removed, restored })) ?? null,
    effects,
  };
}

/** Lists of versions and tags. */
function subgraphReads(platform: Platform): Pick<Handlers, Reads> {
  const { hosting, settings } = platform;
  const dataOf = (shown: readonly ShownVersion[]) => shown.map((one) => subgraphOf(one, settings.address()));
  return {
    listSubgraphs: async ({ query, request }) => {
      const { page_size: size = usualPageSize, page_token: token } = query;
      const after = token === undefined || token === "" ? undefined : decodePageToken(token);
      const page = { limit: size, ...(after && { after }) };
      const { shown, hasMore } = await listSubgraphs(platform, callerOf(request), page, request.log);
      return {
        data: dataOf(shown),
        pagination: pagination(size, hasMore ? shown.at(-1)?.entry : undefined),
      };
    },
    getSubgraph: async ({ path: { name }, request }) => {
      const page = { name, limit: mostOfName };
      const { shown } = await listSubgraphs(platform, callerOf(request), page, request.log);
      if (shown.length === 0) throw new Problem("subgraph-not-found", `There is no subgraph "${name}".`);
      return {
        data: dataOf(shown),
        pagination: pagination(Math.max(usualPageSize, shown.length), undefined),
      };
    },
    getSubgraphVersion: async ({ path, request }) => {
      const shown = await showSubgraph(platform, callerOf(request), path, request.log);
      const lost = await lostSource(platform.database, shown.entry);
      const data = dataOf([shown]).map(
        (subgraph): WarnedSubgraph => ({ ...subgraph, ...(lost.length > 0 && { deletion_warnings: lost }) }),
      );
      return { data, pagination: pagination(usualPageSize, undefined) };
    },
    listSubgraphChains: async () => {
      const networks = hosting.engines.flatMap((engine) => engine.networks);
      return { data: { supported_chains: [...new Set(networks)] } };
    },
  };
}

/** The log of a version, and its entities. A tag stands for its target version. */
function subgraphFacts(platform: Platform): Pick<Handlers, "getSubgraphLogs" | "listWebhookEntities"> {
  const { database } = platform;
  return {
    getSubgraphLogs: async ({ path, query, request }) => {
      const page = await readLog(platform, callerOf(request), path, logQuery(query));
      const results = page.lines.map(({ text, timestamp, level }) => ({ text, timestamp, level }));
      return { data: { results, ...(page.cursor !== undefined && { cursor: page.cursor }) } };
    },
    listWebhookEntities: async ({ path, request }) => {
      const found = await requireEntry(database, { ...path, project: callerOf(request).project });
      const storage = await openEntities(platform, found);
      const facts = storage ? await tableFacts(storage.database, storage.layout) : undefined;
      const entities = facts?.map(showFacts) ?? (await plannedEntities(database, found.deployment));
      return { data: { entities } };
    },
  };
}

function showFacts({
  table,
  rows,
  columns,
}: Awaited<ReturnType<typeof tableFacts>>[number]): Entities[number] {
  return {
    name: table,
    rows: String(rows),
    columns: columns.map(({ name, dataType }) => ({ name, data_type: dataType })),
  };
}

/** @throws Problem for an unknown level, or a number out of range */
function logQuery(query: Operations["getSubgraphLogs"]["query"]): LogQuery {
  const { log_level: least, log_levels: list } = query;
  return logQueryOf({ ...query, levels: levelsIn("log_levels", list) ?? atLeast(least) });
}

/** A level and all more severe ones. */
function atLeast(level: string | undefined): readonly LogLevel[] | undefined {
  return level === undefined || level === "" ? undefined : levelsFrom(levelOf("log_level", level));
}
