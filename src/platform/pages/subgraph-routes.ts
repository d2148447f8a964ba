import { type LogLevel, logLevels } from "../../hosting/engine.js";
import { rowsAt } from "../../store/tables/table-facts.js";
import { mayActAs } from "../people/api-keys.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { placedLines, placedStatus } from "../subgraphs/config-places.js";
import {
  changeVersion,
  findVersion,
  type SubgraphVersion,
  setPaused,
  setTag,
  tagsOf,
} from "../subgraphs/versions.js";
import { pageOf } from "./addresses.js";
import type { Draft } from "./draft.js";
import { createEntityCounts } from "./entity-counts.js";
import { typeOf } from "./entity-names.js";
import { entityPage } from "./entity-page.js";
import { html, wordsOf } from "./html.js";
import { mapSection } from "./map-route.js";
import { createMaps } from "./maps.js";
import type { Content, PageScope, Visit } from "./page-scope.js";
import { stateOf } from "./parts.js";
import { logTable, subgraphPage } from "./subgraph-page.js";
import { engineOf, readChange, requireEntry } from "./views.js";
import { readWebhookList } from "./webhook-routes.js";

const address = "/dashboard/:name/:version";
const shownLines = 30;
const pageLines = 200;
const pageRows = 50;

/** The pages of versions and tags. */
export function addSubgraphPages(scope: PageScope, platform: Platform, draft?: Draft): void {
  const pages = draft ? lastingOnly(scope, platform, draft) : scope;
  const mapOf = createMaps(platform);
  const countsOf = createEntityCounts(platform.world);

  const titled = (entry: SubgraphVersion, part?: string) => titleOf(entry, draft, part);

  pages.get(address, "Viewer", async (visit) => {
    const entry = await entryOf(platform, visit);
    const engine = engineOf(platform, entry.engine);
    const [statuses, log, storage] = await Promise.all([
      engine?.status([entry.deployment]).catch(() => undefined),
      engine?.logs(entry.deployment, { direction: "desc", limit: shownLines }).catch(() => undefined),
      engine?.storage(entry.deployment).catch(() => undefined),
    ]);
    const { database } = platform;
    const told = statuses?.get(entry.deployment);
    const status = told && (await placedStatus(database, entry, told));
    const shownMap = await mapOf(entry);
    const body = subgraphPage({
      entry,
      draft,
      change: draft && (await readChange(platform, entry)),
      ...(status && { status }),
      ...(storage && { tables: storage.layout.tables, counts: await countsOf(storage) }),
      lines: await placedLines(database, entry, log?.lines ?? []),
      tags: entry.target === undefined ? await tagsOf(database, entry) : [],
      endpoints: endpointsOf(entry, platform.settings.address()),
      map: shownMap && mapSection(shownMap, `${pageOf(entry)}/map.svg`),
      more: [await readWebhookList(platform, entry)],
      mayChange: mayActAs(visit.caller.role, "Editor"),
    });
    const page = titled(entry);
    return { ...page, body, isLive: true, news: html`${page.title}: ${wordsOf(stateOf(entry, status))}` };
  });

  pages.get(`${address}/log`, "Viewer", async (visit) => {
    const entry = await entryOf(platform, visit);
    const { query } = visit;
    const level = logLevels.find((each) => each === query.get("level"));
    const search = query.get("search") ?? "";
    const cursor = Number(query.get("cursor") ?? Number.NaN);
    const log = await engineOf(platform, entry.engine)?.logs(entry.deployment, {
      direction: "desc",
      limit: pageLines,
      ...(level && { levels: upTo(level) }),
      ...(search !== "" && { search }),
      ...(Number.isSafeInteger(cursor) && { cursor }),
    });
    const next = new URLSearchParams({ level: level ?? "debug", search, cursor: String(log?.cursor) });
    const body = html`<form class="line" method="get">
<label>At least <select name="level">${logLevels.map((each) => html`<option${each === (level ?? "debug") && html` selected`}>${each}</option>`)}</select></label>
<label>With the text <input name="search" value="${search}" maxlength="200"></label><button>Show</button></form>
${logTable(await placedLines(platform.database, entry, log?.lines ?? []))}
${log?.cursor !== undefined && html`<p><a href="?${String(next)}">Older lines</a></p>`}`;
    return { ...titled(entry, "log"), body };
  });

  pages.get(`${address}/entities/:entity`, "Viewer", async (visit) => {
    const entry = await entryOf(platform, visit);
    const storage = await engineOf(platform, entry.engine)?.storage(entry.deployment);
    const table = storage?.layout.tables.find(({ name }) => name === visit.path.entity);
    if (!storage || !table)
      throw new Problem("not-found", "There is no such entity, or nothing was indexed yet.");
    const block = storage.deployment.head?.number;
    const after = /^\d{1,19}$/.test(visit.query.get("after") ?? "")
      ? BigInt(visit.query.get("after") ?? 0)
      : -1n;
    const rows =
      block === undefined
        ? []
        : await rowsAt(storage.database, storage.layout, table, {
            deployment: storage.isForeign ? undefined : storage.deployment.id,
            block,
            after,
            limit: pageRows,
          });
    const body = entityPage({
      table,
      count: (await countsOf(storage))?.get(table.name),
      ...(block !== undefined && { block }),
      rows,
      ...(rows.length === pageRows && { next: `?after=${String(rows.at(-1)?.vid)}` }),
    });
    return { ...titled(entry, typeOf(table)), body };
  });

  addChanges(pages, platform);
}

function addChanges(pages: PageScope, { database, hosting }: Platform): void {
  const change = (
    action: string,
    perform: (entry: VersionInPath, visit: Visit) => Promise<boolean | Content>,
  ): void =>
    pages.post(`${address}/${action}`, "Editor", async (visit) => {
      const { name = "", version = "" } = visit.path;
      const entry = { project: visit.caller.project, name, version };
      const done = await perform(entry, visit);
      if (typeof done === "object") return done;
      if (!done) throw new Problem("unprocessable", `This is not possible with ${name}/${version}.`);
      const deployment = (await findVersion(database, entry))?.deployment;
      await hosting.reconcile(deployment === undefined ? [] : [deployment]);
      return pageOf(entry);
    });
  change("pause", (entry) => setPaused(database, entry, true));
  change("resume", (entry) => setPaused(database, entry, false));
  change("tags", async (entry, { form }) => {
    const tag = tagIn(form);
    const known = await findVersion(database, { ...entry, version: tag });
    const isMoving = known?.target !== undefined && known.target !== entry.version;
    if (isMoving && form.get("from") !== known.target) {
      const opens = known.hasPublicEndpoint && !(await findVersion(database, entry))?.hasPublicEndpoint;
      return moveTag(entry, { tag, target: known.target, opens });
    }
    return database.transaction((sql) => setTag(sql, { ...entry, version: tag }, entry.version));
  });
  change("endpoints", async (entry, { form }) => {
    if (!(await findVersion(database, entry))) return false;
    await changeVersion(database, entry, {
      hasPublicEndpoint: form.has("public"),
      hasPrivateEndpoint: form.has("private"),
    });
    return true;
  });
}

function tagIn(form: URLSearchParams): string {
  const tag = form.get("tag") ?? "";
  if (/^[a-zA-Z0-9][\w+.-]*$/.test(tag)) return tag;
  throw new Problem("bad-request", "A tag is made of letters, digits and + . - _.");
}

/** Asks whether a tag is to point elsewhere: whoever queries it gets other answers from then on. */
function moveTag(
  entry: VersionInPath,
  { tag, target, opens }: { readonly tag: string; readonly target: string; readonly opens: boolean },
): Content {
  const own = pageOf(entry);
  return {
    title: `Move the tag ${tag}?`,
    trail: [
      ["Subgraphs", "/"],
      [`${entry.name}/${entry.version}`, own],
    ],
    body: html`<p>${entry.name}/${tag} points to ${target} now. Queries to it will be answered from ${entry.version} at once.</p>
${opens && html`<p class="notice">The public endpoint of ${entry.version} is off, and that of the tag is on: anybody can query ${entry.version} then.</p>`}
<form class="line" method="post" action="${own}/tags"><input type="hidden" name="tag" value="${tag}"><input type="hidden" name="from" value="${target}">
<button class="main">Move ${tag} to ${entry.version}</button></form>
<p><a href="${own}">Leave it where it is</a></p>`,
  };
}

type VersionInPath = Pick<SubgraphVersion, "project" | "name" | "version">;

function entryOf(
  platform: Platform,
  { caller, path: { name = "", version = "" } }: Visit,
): Promise<SubgraphVersion> {
  return requireEntry(platform, caller.project, { name, version });
}

/** Pages of builds lead to those of the tag whose addresses stay. */
function lastingOnly(pages: PageScope, { database }: Platform, { tag }: Draft): PageScope {
  return {
    ...pages,
    get: (of, role, make) =>
      pages.get(of, role, async (visit) => {
        const { name = "", version = "" } = visit.path;
        if (version === tag) return make(visit);
        const lasting = { project: visit.caller.project, name, version: tag };
        if (!(await findVersion(database, lasting))) return make(visit);
        return visit.request.url.replace(pageOf({ name, version }), pageOf(lasting));
      }),
  };
}

function titleOf(entry: SubgraphVersion, draft: Draft | undefined, part?: string) {
  const own = draft ? entry.name : `${entry.name}/${entry.version}`;
  const trail = [["Subgraphs", "/"], ...(part === undefined ? [] : [[own, pageOf(entry)]])] as [
    string,
    string,
  ][];
  return { title: part === undefined ? own : `${own} · ${part}`, trail };
}

/** The addresses of its queries. */
function endpointsOf(
  { project, name, version }: SubgraphVersion,
  base: string,
): { public: string; private: string } {
  const path = `${encodeURIComponent(project)}/subgraphs/${encodeURIComponent(name)}/${encodeURIComponent(version)}/gn`;
  return { public: `${base}/api/public/${path}`, private: `${base}/api/private/${path}` };
}

function upTo(level: LogLevel): readonly LogLevel[] {
  return logLevels.slice(0, logLevels.indexOf(level) + 1);
}
