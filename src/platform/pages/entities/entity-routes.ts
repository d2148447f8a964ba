import type { HostedStorage } from "../../../hosting/engine.js";
import { lastWrites, readVersions } from "../../../store/tables/entity-history.js";
import type { EntityTable } from "../../../store/tables/layout.js";
import { readEntitySchema } from "../../../subgraph/schema/read-entity-schema.js";
import { type Html, html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { openEntities } from "../../subgraphs/read-subgraphs.js";
import type { SubgraphVersion } from "../../subgraphs/versions.js";
import { isPlain, readBrowseState, vidIn } from "./browse-state.js";
import { entityHistoryPage, entityLength, wholeLength } from "./entity-history-page.js";
import { explorerOf } from "./explorer.js";
import { storedValue } from "./filters.js";
import { factsOf, knownStorers, knownTimes, type ReadWriters } from "./history-facts.js";
import { inTime, readRows } from "./read-rows.js";
import { cellLength, rowsPage } from "./rows-page.js";
import { type TypeCounts, typeList } from "./type-list.js";
import type { ValueLinks } from "./value-html.js";

const pageVersions = 50;

/** What pages of entities need to know about a version or tag. */
export interface DataVisit {
  readonly entry: SubgraphVersion;
  readonly storage: HostedStorage;
  /** Aborted when the client leaves. */
  readonly gone: AbortSignal;
  /** The address of the page of the version or tag. */
  readonly base: string;
  readonly query: URLSearchParams;
}

/** The content of a page, and whether it shows the newest data. */
export interface DataContent {
  readonly body: Html;
  readonly isNewest: boolean;
}

/** The table of a version or tag. @throws Problem `not-found`; and the errors of `openEntities` */
export async function openTable(
  platform: Platform,
  entry: SubgraphVersion,
  name: string | undefined,
): Promise<{ readonly storage: HostedStorage; readonly table: EntityTable }> {
  const storage = await openEntities(platform, entry);
  const table = storage?.layout.tables.find((one) => one.name === name);
  if (storage && table) return { storage, table };
  throw new Problem("not-found", "The subgraph has no such entity type, or it has not indexed a block yet.");
}

/** The table that was written last; the first one if all are empty. @throws DatabaseError */
export async function newestTable({ database, layout }: HostedStorage): Promise<EntityTable | undefined> {
  const written = await lastWrites(database, layout);
  let newest = layout.tables[0];
  for (const table of layout.tables) {
    if ((written.get(table.name) ?? -1) > (written.get(newest?.name ?? "") ?? -1)) newest = table;
  }
  return newest;
}

/** The rows of a type beside the list of all types. @throws DatabaseError */
export async function rowsContent(
  { entry, storage, gone, base, query }: DataVisit,
  table: EntityTable,
  counted: TypeCounts,
): Promise<DataContent> {
  const state = readBrowseState(query);
  const rows = rowsPage({
    ...(await readRows({ project: entry.project, gone }, storage, table, state, cellLength)),
    table,
    layout: storage.layout,
    state,
    count: counted.counts?.get(table.name),
    links: linksOf(entry, storage, base),
    address: `${base}/data/${encodeURIComponent(table.name)}`,
  });
  const types = typeList(base, storage.layout.tables, counted, table.name);
  return { body: html`<div class="data">${types}<div>${rows}</div></div>`, isNewest: isPlain(state) };
}

/** The page of an entity, with its history. @throws Problem `not-found`; DatabaseError */
export async function entityContent(
  readWriters: ReadWriters,
  { entry, storage, gone, base, query }: DataVisit,
  table: EntityTable,
): Promise<DataContent> {
  const id = query.get("id") ?? "";
  const column = table.columns.find(({ field }) => field === "id");
  const stored = column && storedValue(column, id, storage.layout);
  const before = vidIn(query.get("before"));
  const long = table.columns.find(({ field }) => field === query.get("whole"));
  const writers = await readWriters(entry, table.type);
  const found = await inTime({ project: entry.project, gone }, storage, async (sql) => {
    if (stored === undefined) return undefined;
    const asked = { id: stored, before, limit: pageVersions, ...entityLength };
    const read = await readVersions(sql, storage.layout, table, asked);
    const times = await knownTimes(sql, storage, read.versions);
    const storers = await knownStorers(sql, storage, table, writers, read.versions);
    const [newest, ...others] = read.versions;
    if (!long || !newest) return { ...read, times, storers };
    const only = { ...table, columns: table.columns.filter((one) => one === long || one === column) };
    const whole = await readVersions(sql, storage.layout, only, { ...asked, limit: 1, ...wholeLength });
    const values = { ...newest.values, ...whole.versions[0]?.values };
    return { ...read, versions: [{ ...newest, values }, ...others], times, storers };
  });
  if (!found || found.versions.length === 0)
    throw new Problem("not-found", `There is no ${table.type} with the id "${id.slice(0, 200)}".`);
  const { deployment, isForeign } = storage;
  const isPruned = !isForeign && deployment.earliestBlock > deployment.startBlock;
  const body = entityHistoryPage({
    table,
    id,
    hasOlder: found.hasOlder,
    isNewest: before === undefined,
    whole: long?.field,
    versions: found.versions.map((version) => ({
      ...version,
      ...factsOf(version, table, found.times, writers, found.storers),
    })),
    ...(isPruned && { keptSince: deployment.earliestBlock }),
    links: linksOf(entry, storage, base),
    explorer: explorerOf(entry.network),
    address: entityAddress(base, table.name, id),
  });
  return { body, isNewest: before === undefined };
}

/**
 * The address of the entity that a reference to an interface points to.
 * @returns undefined if no implementing type has such an entity
 * @throws DatabaseError
 */
export async function findImplementer(
  { entry, storage, gone, base, query }: DataVisit,
  name: string,
): Promise<string | undefined> {
  const types = readEntitySchema(storage.deployment.schema).implementers.get(name) ?? [];
  const id = query.get("id") ?? "";
  const tables = storage.layout.tables.filter(
    ({ type, interval }) => interval === undefined && types.includes(type),
  );
  return inTime({ project: entry.project, gone }, storage, async (sql) => {
    for (const table of tables) {
      const column = table.columns.find(({ field }) => field === "id");
      const stored = column && storedValue(column, id, storage.layout);
      if (stored === undefined) continue;
      const { versions } = await readVersions(sql, storage.layout, table, {
        id: stored,
        limit: 1,
        longest: 0,
        items: 0,
      });
      if (versions.length > 0) return entityAddress(base, table.name, id);
    }
    return undefined;
  });
}

function linksOf(entry: SubgraphVersion, { layout }: HostedStorage, base: string): ValueLinks {
  const tables = new Map(
    layout.tables.flatMap(({ type, name, interval }) =>
      interval === undefined ? [[type, name] as const] : [],
    ),
  );
  return {
    explorer: explorerOf(entry.network),
    // The page of an interface finds the type of the entity.
    entity: (type, id) => entityAddress(base, tables.get(type) ?? type, id),
  };
}

function entityAddress(base: string, table: string, id: string): string {
  return `${base}/data/${encodeURIComponent(table)}/entity?${String(new URLSearchParams({ id }))}`;
}
