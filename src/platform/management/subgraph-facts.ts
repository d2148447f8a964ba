import type { Operations } from "../../api/contract.js";
import { type HostedLevel, type HostedLinesQuery, hostedLevels } from "../../hosting/engine.js";
import { tableFacts } from "../../store/tables/table-facts.js";
import { callerOf } from "../http/roles.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { requireEntry } from "../subgraphs/find-subgraph.js";
import { type Entities, plannedEntities } from "../subgraphs/plan-entities.js";
import { levelsFrom, openEntities, readLog } from "../subgraphs/read-subgraphs.js";
import type { Handlers } from "./operations.js";

/** Log lines per page. */
const logPageSize = 100;

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
function logQuery(query: Operations["getSubgraphLogs"]["query"]): HostedLinesQuery {
  const { cursor, after, direction = "desc", search, log_level: least, log_levels: list } = query;
  const levels =
    list === undefined || list === "" ? atLeast(least) : list.split(",").map(levelOf("log_levels"));
  return {
    direction: direction === "asc" ? "asc" : "desc",
    limit: logPageSize,
    ...(cursor !== undefined && { cursor: whole("cursor", cursor) }),
    ...(after !== undefined && { after: whole("after", after) }),
    ...(search !== undefined && search !== "" && { search }),
    ...(levels && { levels }),
  };
}

/** A level and all more severe ones. */
function atLeast(level: string | undefined): readonly HostedLevel[] | undefined {
  if (level === undefined || level === "") return undefined;
  return levelsFrom(levelOf("log_level")(level));
}

function levelOf(field: string): (word: string) => HostedLevel {
  return (word) => {
    const found = hostedLevels.find((level) => level === word.trim().toLowerCase());
    if (found) return found;
    throw wrong(field, `must be one of ${hostedLevels.join(", ")}`);
  };
}

function whole(field: string, value: number): number {
  const found = Math.floor(value);
  if (Number.isSafeInteger(found) && found >= 0) return found;
  throw wrong(field, "must be a whole number that is not negative");
}

function wrong(field: string, message: string): Problem {
  return new Problem("bad-request", `The query has invalid fields: ${field}.`, {
    errors: [{ field, message }],
  });
}
