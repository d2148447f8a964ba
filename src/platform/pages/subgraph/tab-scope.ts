import { type Html, type HtmlValue, html, wordsOf } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import type { Platform } from "../../platform.js";
import type { EntryName } from "../../subgraphs/find-subgraph.js";
import { type ShownVersion, showSubgraph } from "../../subgraphs/read-subgraphs.js";
import { findVersion, type SubgraphVersion, tagsOf } from "../../subgraphs/versions.js";
import { isDown, listWebhooksOf, type Webhook } from "../../webhooks/webhooks.js";
import { pageOf } from "../addresses.js";
import type { Draft } from "../draft.js";
import type { RefusedForm } from "../form-state.js";
import type { Content, PageScope, Visit } from "../page-scope.js";
import { mistakesOf, stateOf } from "../parts.js";
import { orInstead } from "../views.js";
import { addressOfTab, nameOfTab, type Tab, tabLinks } from "./tabs.js";

const address = "/dashboard/:name/:version";

/** A visit of a tab of a version or a tag. */
export interface TabVisit extends Visit, ShownVersion {
  /** The address of the page of the version or tag. */
  readonly base: string;
  /** Whether the visitor is allowed to make changes. */
  readonly mayChange: boolean;
  /** The webhooks of the version; of a tag, those of the version that it points to. */
  readonly webhooks: readonly Webhook[];
  /** The webhooks whose receivers are down. */
  readonly down: readonly Webhook[];
}

/** The content of a tab. The frame that all tabs share adds the rest. */
export interface TabContent extends Pick<Content, "scripts" | "isLive"> {
  readonly body: HtmlValue;
  /** The name of a page below the tab: an entity type or a webhook. */
  readonly part?: string;
}

/** Adds pages in the tabs of versions and tags. */
export interface TabScope {
  /**
   * Adds a page for a tab, or below it. Any Viewer may see it.
   * @param below the path below the tab, with its parameters; empty for the tab itself
   * @param make returns the content, or an address to redirect to
   */
  get(tab: Tab, below: string, make: (visit: TabVisit) => Promise<TabContent | string>): void;
  /**
   * Adds a form of an Editor.
   * @param path below the page of the version or tag
   * @param again makes the form again when it is refused, with the user's input and its errors
   */
  post(
    path: string,
    perform: (visit: Visit, named: EntryName) => Promise<string | Content>,
    again?: (visit: Visit, named: EntryName, refused: RefusedForm) => Promise<Content>,
  ): void;
}

/** A scope for the tabs of versions and tags, each below the name, the state and the links to all tabs. */
export function createTabScope(pages: PageScope, platform: Platform, draft?: Draft): TabScope {
  return {
    get: (tab, below, make) =>
      pages.get(addressOfTab(address, tab) + below, "Viewer", async (visit) => {
        const named = entryName(visit);
        const { caller, request } = visit;
        const shown = await orInstead(
          platform,
          caller,
          named.name,
          showSubgraph(platform, caller, named, request.log),
        );
        const base = pageOf(named);
        const mayChange = mayActAs(caller.role, "Editor");
        const webhooks = await webhooksOf(platform, shown.entry);
        const down = webhooks.filter(isDown);
        const made = await make({ ...visit, ...shown, base, mayChange, webhooks, down });
        if (typeof made === "string") return made;
        const { body, part, ...others } = made;
        const { entry, status } = shown;
        const { title, trail } = titleOf(entry, tab, draft, part);
        const tags = entry.target === undefined ? await tagsOf(platform.database, entry) : [];
        return {
          ...others,
          title,
          trail,
          scripts: ["copy.js", "times.js", ...(others.scripts ?? [])],
          failures: status?.health === "failed" ? 1 : 0,
          news: html`${title}: ${wordsOf(stateOf(entry, status))}`,
          body: html`${mistakesOf(draft)}${headOf(shown, tags, draft)}${tabLinks({ base, shown: tab, isWithin: below !== "", down: down.length })}${body}`,
        };
      }),
    post: (path, perform, again) =>
      pages.post(
        `${address}/${path}`,
        "Editor",
        (visit) => perform(visit, entryName(visit)),
        again && ((visit, refused) => again(visit, entryName(visit), refused)),
      ),
  };
}

function webhooksOf(
  { database }: Platform,
  { project, name, version, target = version }: SubgraphVersion,
): Promise<readonly Webhook[]> {
  return listWebhooksOf(database, { project, name, version: target });
}

/** The version or tag that a visit names. */
function entryName({ path: { name = "", version = "" } }: Visit): EntryName {
  return { name, version };
}

function headOf({ entry, status }: ShownVersion, tags: readonly string[], draft: Draft | undefined): Html {
  const { target, network } = entry;
  return html`<p class="row">${stateOf(entry, status)} <span class="soft">${network}</span>
${!draft && target !== undefined && html`<span>tag for <a href="${pageOf({ ...entry, version: target })}">${target}</a></span>`}
${tags.map((tag) => html`<a class="tag" href="${pageOf({ ...entry, version: tag })}">${tag}</a>`)}</p>`;
}

function titleOf(entry: SubgraphVersion, tab: Tab, draft: Draft | undefined, part: string | undefined) {
  const own = draft ? entry.name : `${entry.name}/${entry.version}`;
  const base = pageOf(entry);
  const list = ["Subgraphs", "/"] as const;
  if (tab === "overview") return { title: own, trail: [list] };
  const above = [list, [own, base]] as const;
  if (part === undefined) return { title: `${own} · ${nameOfTab(tab)}`, trail: above };
  return { title: `${own} · ${part}`, trail: [...above, [nameOfTab(tab), addressOfTab(base, tab)]] as const };
}

/** Redirects the pages of builds to the tag's pages, whose addresses stay the same. */
export function lastingOnly(pages: PageScope, { database }: Platform, { tag }: Draft): PageScope {
  return {
    ...pages,
    get: (of, role, make) =>
      pages.get(of, role, async (visit) => {
        const { name, version } = entryName(visit);
        if (version === tag) return make(visit);
        const lasting = { project: visit.caller.project, name, version: tag };
        if (!(await findVersion(database, lasting))) return make(visit);
        return visit.request.url.replace(pageOf({ name, version }), pageOf(lasting));
      }),
  };
}
