import type { FastifyInstance, FastifyRequest } from "fastify";
import type { HostedStorage } from "../../../hosting/engine.js";
import type { Sql } from "../../../store/database/database.js";
import type { EntityVersion } from "../../../store/tables/entity-history.js";
import { readVersions } from "../../../store/tables/entity-history.js";
import type { EntityTable, Layout } from "../../../store/tables/layout.js";
import { goneOf } from "../../http/limits/gone-of.js";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { nameIn, requireEntry } from "../../subgraphs/find-subgraph.js";
import { openEntities } from "../../subgraphs/read-subgraphs.js";
import { type PageScope, queryOf } from "../page-scope.js";
import { vidIn } from "./browse-state.js";
import { exportedLength, rowAsObject } from "./export-rows.js";
import { storedValue } from "./filters.js";
import {
  createReadWriters,
  factsOf,
  knownStorers,
  knownTimes,
  type TypeWriters,
  type VersionFacts,
  type VersionWriter,
} from "./history-facts.js";
import { inTime } from "./read-rows.js";

interface Params {
  readonly name: string;
  readonly version: string;
  readonly entity: string;
}

/** The most versions of one answer. */
const mostVersions = 20;

/**
 * Adds the history of an entity as JSON: each version with its block, transaction and values, the fields that changed, and
 * the handlers that may have stored it, with their lines in the configuration. A type has its own name or that of its table.
 */
export function addEntityHistoryFile(
  app: FastifyInstance,
  platform: Platform,
  { ofBrowser }: Pick<PageScope, "ofBrowser">,
): void {
  const readWriters = createReadWriters(platform);
  app.get<{ Params: Params }>(
    "/dashboard/:name/:version/data/:entity/history.json",
    { config: { role: "Viewer", isLinked: true, ofBrowser } },
    async (request: FastifyRequest<{ Params: Params }>, reply) => {
      const { params } = request;
      const entry = await requireEntry(platform.database, nameIn(callerOf(request), params));
      const storage = await openEntities(platform, entry);
      const table = storage && historyTable(storage.layout, params.entity);
      if (!storage || !table)
        throw new Problem(
          "not-found",
          "The subgraph has no such entity type, or it has not indexed a block yet.",
        );
      const query = queryOf(request);
      const asked = { id: query.get("id") ?? "", before: query.get("before") };
      if (asked.before !== null && vidIn(asked.before) === undefined)
        throw new Problem(
          "bad-request",
          "before must be a number of at most 18 digits, with which an earlier answer ended.",
        );
      const writers = await readWriters(entry, table.type);
      const reader = { project: entry.project, gone: goneOf(request) };
      const data = await readHistory(storage, table, writers, asked, (work) => inTime(reader, storage, work));
      if (!data)
        throw new Problem("not-found", `There is no ${table.type} with the id "${asked.id.slice(0, 200)}".`);
      return reply
        .headers({ "x-content-type-options": "nosniff", "cache-control": "no-store" })
        .send({ data });
    },
  );
}

/** The table of an entity type, by the type's name or its own. */
export function historyTable({ tables }: Layout, name: string): EntityTable | undefined {
  return (
    tables.find((one) => one.name === name) ??
    tables.find(({ type, interval }) => type === name && interval === undefined)
  );
}

/**
 * Reads the newest versions of an entity, as a JSON value.
 * @param asked.before from an earlier answer, for older versions
 * @param read runs the reads as of one moment
 * @returns `undefined` if there is no such entity @throws DatabaseError; errors of `read`
 */
export async function readHistory(
  storage: Pick<HostedStorage, "deployment" | "layout" | "isForeign">,
  table: EntityTable,
  writers: TypeWriters,
  { id, before }: { readonly id: string; readonly before: string | null },
  read: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>,
): Promise<object | undefined> {
  const column = table.columns.find(({ field }) => field === "id");
  const stored = column && storedValue(column, id, storage.layout);
  if (stored === undefined) return undefined;
  const asked = { id: stored, before: vidIn(before), limit: mostVersions, ...exportedLength };
  const found = await read(async (sql) => {
    const { versions, hasOlder } = await readVersions(sql, storage.layout, table, asked);
    const times = await knownTimes(sql, storage, versions);
    const storers = await knownStorers(sql, storage, table, writers, versions);
    return { versions, hasOlder, times, storers };
  });
  const last = found.versions.at(-1);
  if (!last) {
    if (asked.before === undefined) return undefined;
    const newest = { ...asked, before: undefined, limit: 1 };
    const { versions } = await read((sql) => readVersions(sql, storage.layout, table, newest));
    return versions.length === 0 ? undefined : { entity: table.type, id, versions: [], before: null };
  }
  const versions = found.versions.map((version) =>
    versionAsJson(version, table, factsOf(version, table, found.times, writers, found.storers)),
  );
  return { entity: table.type, id, versions, before: found.hasOlder ? String(last.vid) : null };
}

/** A version. What is not known is null. */
function versionAsJson(version: EntityVersion, table: EntityTable, facts: VersionFacts): object {
  const { begins, ends, previous, values } = version;
  const { time, transaction, writer } = facts;
  const changed = table.columns.filter(({ name }) => previous?.changed.includes(name));
  return {
    block: begins,
    ended_in_block: ends ?? null,
    time: time === undefined ? null : new Date(time * 1000).toISOString(),
    transaction: transaction ?? null,
    // The oldest kept version may have had others before it.
    changed_fields: previous ? changed.map(({ field }) => field) : null,
    values: rowAsObject(table.columns, values),
    written_by: writerAsJson(writer),
  };
}

function writerAsJson(writer: VersionWriter): object {
  if (writer.kind !== "handlers") return writer;
  return {
    kind: "handlers",
    is_certain: writer.isCertain,
    handlers: writer.handlers.map(({ source, trigger, handler, place }) => ({
      source,
      trigger,
      handler,
      place: place ?? null,
    })),
  };
}
