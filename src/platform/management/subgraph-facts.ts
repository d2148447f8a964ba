import type { Operations } from "../../api/contract.js";
import type { LogLevel, LogQuery } from "../../store/logs/log-line.js";
import { tableFacts } from "../../store/tables/table-facts.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { requireEntry } from "../subgraphs/find-subgraph.js";
import { type Entities, plannedEntities } from "../subgraphs/plan-entities.js";
import { levelsFrom, openEntities, readLog } from "../subgraphs/read-subgraphs.js";
import { levelOf, levelsIn, logQueryOf } from "./log-query.js";
import type { Handlers } from "./operations.js";

/** The log of a version, and its entities. A tag stands for its target version. */
export function subgraphFacts(platform: Platform): Pick<Handlers, "getSubgraphLogs" | "listWebhookEntities"> {
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
