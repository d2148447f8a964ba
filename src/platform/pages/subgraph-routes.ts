import { logLevels } from "../../store/logs/log-line.js";
import { rowsAt } from "../../store/tables/table-facts.js";
import { html, wordsOf } from "../http/html.js";
import { mayActAs } from "../people/api-keys.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { changeSubgraph, pauseSubgraph } from "../subgraphs/change-subgraphs.js";
import { placedLines } from "../subgraphs/config-places.js";
import { type EntryName, engineOf, nameIn, requireEntry } from "../subgraphs/find-subgraph.js";
import { queryAddresses } from "../subgraphs/query-addresses.js";
import { askEngine } from "../subgraphs/read-statuses.js";
import { levelsFrom, openEntities, readLog, showSubgraph } from "../subgraphs/read-subgraphs.js";
import { tagSubgraph } from "../subgraphs/tag-subgraphs.js";
import { findVersion, type SubgraphVersion, tagsOf } from "../subgraphs/versions.js";
import { pageOf } from "./addresses.js";
import type { Draft } from "./draft.js";
import { createEntityCounts } from "./entity-counts.js";
import { typeOf } from "./entity-names.js";
import { entityPage } from "./entity-page.js";
import { mapSection } from "./map-route.js";
import { createMaps } from "./maps.js";
import type { Content, PageScope, Visit } from "./page-scope.js";
import { stateOf } from "./parts.js";
import { logTable, subgraphPage } from "./subgraph-page.js";
import { orInstead, readChange } from "./views.js";
import { readWebhookList } from "./webhook-routes.js";

const address = "/dashboard/:name/:version";
const shownLines = 30;
const pageLines = 200;
const pageRows = 50;

/** Adds the pages of versions and tags. */
export function addSubgraphPages(scope: PageScope, platform: Platform, draft?: Draft): void {
  const pages = draft ? lastingOnly(scope, platform, draft) : scope;
  const mapOf = createMaps(platform);
  const countsOf = createEntityCounts(platform.world);

  const titled = (entry: SubgraphVersion, part?: string) => titleOf(entry, draft, part);

  pages.get(address, "Viewer", async (visit) => {
    const { database, hosting, settings } = platform;
    const { caller, request } = visit;
    const named = nameOf(visit);
    const shown = showSubgraph(platform, caller, named, request.log);
    const { entry, status } = await orInstead(platform, caller, named.name, shown);
    const { deployment } = entry;
    const engine = engineOf(hosting, entry.engine);
    const [log, storage] = await Promise.all([
      askEngine(engine, "logs", request.log, (one) =>
        one.logs(deployment, { direction: "desc", limit: shownLines }),
      ),
      askEngine(engine, "storage", request.log, (one) => one.storage(deployment)),
    ]);
    const shownMap = await mapOf(entry);
    const body = subgraphPage({
      entry,
      draft,
      change: draft && (await readChange(platform, entry, request.log)),
      ...(status && { status }),
      ...(storage && { tables: storage.layout.tables, counts: await countsOf(storage) }),
      lines: await placedLines(database, entry, log?.lines ?? []),
      tags: entry.target === undefined ? await tagsOf(database, entry) : [],
      endpoints: queryAddresses(entry, settings.address()),
      map: shownMap && mapSection(shownMap, `${pageOf(entry)}/map.svg`),
      more: [await readWebhookList(platform, entry)],
      mayChange: mayActAs(caller.role, "Editor"),
    });
    const page = titled(entry);
    return { ...page, body, isLive: true, news: html`${page.title}: ${wordsOf(stateOf(entry, status))}` };
  });

  pages.get(`${address}/log`, "Viewer", async (visit) => {
    const { caller, query } = visit;
    const entry = await entryOf(platform, visit);
    const level = logLevels.find((each) => each === query.get("level"));
    const search = query.get("search") ?? "";
    const cursor = Number(query.get("cursor") ?? Number.NaN);
    const log = await readLog(platform, caller, entry, {
      direction: "desc",
      limit: pageLines,
      ...(level && { levels: levelsFrom(level) }),
      ...(search !== "" && { search }),
      ...(Number.isSafeInteger(cursor) && { cursor }),
    });
    const next = new URLSearchParams({ level: level ?? "debug", search, cursor: String(log.cursor) });
    const body = html`<form class="line" method="get">
<label>Minimum level <select name="level">${logLevels.map((each) => html`<option${each === (level ?? "debug") && html` selected`}>${each}</option>`)}</select></label>
<label>Containing <input name="search" value="${search}" maxlength="200"></label><button>Show</button></form>
${logTable(log.lines)}
${log.cursor !== undefined && html`<p><a href="?${String(next)}">Older lines</a></p>`}`;
    return { ...titled(entry, "log"), body };
  });

  pages.get(`${address}/entities/:entity`, "Viewer", async (visit) => {
    const entry = await entryOf(platform, visit);
    const storage = await openEntities(platform, entry);
    const table = storage?.layout.tables.find(({ name }) => name === visit.path.entity);
    if (!storage || !table)
      throw new Problem(
        "not-found",
        "The subgraph has no such entity type, or it has not indexed a block yet.",
      );
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

function addChanges(pages: PageScope, platform: Platform): void {
  const change = (action: string, perform: (named: EntryName, visit: Visit) => Promise<void>): void =>
    pages.post(`${address}/${action}`, "Editor", async (visit) => {
      const named = nameOf(visit);
      await perform(named, visit);
      return pageOf(named);
    });
  change("pause", (named, { caller }) => pauseSubgraph(platform, caller, named, true));
  change("resume", (named, { caller }) => pauseSubgraph(platform, caller, named, false));
  change("endpoints", (named, { caller, form }) =>
    changeSubgraph(platform, caller, named, {
      hasPublicEndpoint: form.has("public"),
      hasPrivateEndpoint: form.has("private"),
    }),
  );
  pages.post(`${address}/tags`, "Editor", async (visit) => {
    const { name, version } = nameOf(visit);
    const { caller, form } = visit;
    const tag = tagIn(form);
    const seen = form.get("from");
    const from = await tagSubgraph(platform, caller, { name, tag }, version, (target) => target === seen);
    return from === undefined ? pageOf({ name, version }) : moveTag({ name, version }, tag, from);
  });
}

function tagIn(form: URLSearchParams): string {
  const tag = form.get("tag") ?? "";
  if (/^[a-zA-Z0-9][\w+.-]*$/.test(tag)) return tag;
  throw new Problem(
    "bad-request",
    "A tag may contain letters, digits and + . - _, and must start with a letter or a digit.",
  );
}

/** Asks for confirmation before a tag moves, because its queries then get different answers. */
function moveTag(entry: EntryName, tag: string, target: string): Content {
  const own = pageOf(entry);
  return {
    title: `Move the tag ${tag}?`,
    trail: [
      ["Subgraphs", "/"],
      [`${entry.name}/${entry.version}`, own],
    ],
    body: html`<p>${entry.name}/${tag} currently points to ${target}. Once you move it, ${entry.version} answers its queries.</p>
<form class="line" method="post" action="${own}/tags"><input type="hidden" name="tag" value="${tag}"><input type="hidden" name="from" value="${target}">
<button class="main">Move ${tag} to ${entry.version}</button></form>
<p><a href="${own}">Leave it where it is</a></p>`,
  };
}

function nameOf({ path: { name = "", version = "" } }: Visit): EntryName {
  return { name, version };
}

function entryOf(platform: Platform, visit: Visit): Promise<SubgraphVersion> {
  const { caller } = visit;
  const named = nameOf(visit);
  return orInstead(platform, caller, named.name, requireEntry(platform.database, nameIn(caller, named)));
}

/** Redirects the pages of builds to those of the tag, whose addresses stay the same. */
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
