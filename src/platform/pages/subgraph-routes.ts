import { mayActAs } from "../catalog/api-keys.js";
import { changeVersion, type SubgraphVersion, setPaused, setTag, tagsOf } from "../catalog/versions.js";
import { type HostedStorage, type LogLevel, logLevels } from "../hosting/engine.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { rowsAt, type TableFacts, tableFacts } from "../tables/table-facts.js";
import { entityPage } from "./entity-page.js";
import { html } from "./html.js";
import type { PageScope, Visit } from "./page-scope.js";
import { pageOf } from "./parts.js";
import { logTable, subgraphPage } from "./subgraph-page.js";
import { engineOf, requireEntry } from "./views.js";
import { readWebhookList } from "./webhook-routes.js";

const address = "/dashboard/:name/:version";
const shownLines = 30;
const pageLines = 200;
const pageRows = 50;

/** The pages of versions and tags. */
export function addSubgraphPages(pages: PageScope, platform: Platform): void {
  const facts = createFactsCache();

  pages.get(address, "Viewer", async (visit) => {
    const entry = await entryOf(platform, visit);
    const engine = engineOf(platform, entry.engine);
    const [statuses, log, storage] = await Promise.all([
      engine?.status([entry.deployment]).catch(() => undefined),
      engine?.logs(entry.deployment, { direction: "desc", limit: shownLines }).catch(() => undefined),
      engine?.storage(entry.deployment).catch(() => undefined),
    ]);
    const status = statuses?.get(entry.deployment);
    const body = subgraphPage({
      entry,
      ...(status && { status }),
      ...(storage && { tables: await facts(storage, platform.world.now()) }),
      lines: log?.lines ?? [],
      tags: entry.target === undefined ? await tagsOf(platform.database, entry) : [],
      endpoints: endpointsOf(entry, platform.settings.address()),
      map: `${pageOf(entry)}/map.svg`,
      more: [await readWebhookList(platform, entry)],
      mayChange: mayActAs(visit.caller.role, "Editor"),
    });
    return { ...titled(entry), body, isLive: true };
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
${logTable(log?.lines ?? [])}
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
    const own = (await facts(storage, platform.world.now())).find((each) => each.table === table.name);
    const body = entityPage({
      table: own ?? { rows: 0n, columns: [] },
      ...(block !== undefined && { block }),
      rows,
      ...(rows.length === pageRows && { next: `?after=${String(rows.at(-1)?.vid)}` }),
    });
    return { ...titled(entry, table.name), body };
  });

  addChanges(pages, platform);
}

function addChanges(pages: PageScope, { database, hosting }: Platform): void {
  const change = (action: string, perform: (entry: VersionInPath, visit: Visit) => Promise<boolean>): void =>
    pages.post(`${address}/${action}`, "Editor", async (visit) => {
      const { name = "", version = "" } = visit.path;
      const entry = { project: visit.caller.project, name, version };
      if (!(await perform(entry, visit)))
        throw new Problem("unprocessable", `This is not possible with ${name}/${version}.`);
      await hosting.reconcile();
      return pageOf(entry);
    });
  change("pause", (entry) => setPaused(database, entry, true));
  change("resume", (entry) => setPaused(database, entry, false));
  change("tags", async (entry, { form }) => {
    const tag = form.get("tag") ?? "";
    if (!/^[a-zA-Z0-9][\w+.-]*$/.test(tag))
      throw new Problem("bad-request", "A tag is made of letters, digits and + . - _.");
    return database.transaction((sql) => setTag(sql, { ...entry, version: tag }, entry.version));
  });
  change("endpoints", async (entry, { form }) => {
    await changeVersion(database, entry, {
      hasPublicEndpoint: form.has("public"),
      hasPrivateEndpoint: form.has("private"),
    });
    return true;
  });
}

type VersionInPath = Pick<SubgraphVersion, "project" | "name" | "version">;

function entryOf(
  platform: Platform,
  { caller, path: { name = "", version = "" } }: Visit,
): Promise<SubgraphVersion> {
  return requireEntry(platform, caller.project, { name, version });
}

function titled(entry: SubgraphVersion, part?: string) {
  const own = `${entry.name}/${entry.version}`;
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

/** Counting rows takes time: what was counted is good for some seconds. */
function createFactsCache(): (storage: HostedStorage, now: number) => Promise<readonly TableFacts[]> {
  const known = new Map<string, { readonly at: number; readonly facts: Promise<readonly TableFacts[]> }>();
  const goodFor = 5_000;
  return (storage, now) => {
    const id = storage.deployment.deployment;
    const found = known.get(id);
    if (found && now - found.at < goodFor) return found.facts;
    if (known.size > 1_000) known.clear();
    const facts = tableFacts(storage.database, storage.layout);
    known.set(id, { at: now, facts });
    facts.catch(() => known.delete(id));
    return facts;
  };
}
