import { type Html, html } from "../../http/html.js";

/** The tabs of a version or a tag, in order: the name of each, and its address below the page. */
const tabs = {
  overview: ["Overview", ""],
  data: ["Data", "/data"],
  query: ["Query", "/query"],
  log: ["Log", "/log"],
  webhooks: ["Webhooks", "/webhooks"],
  map: ["Map", "/map"],
  settings: ["Settings", "/settings"],
} as const;

/** A tab of a version or a tag. */
export type Tab = keyof typeof tabs;

/**
 * The tabs for the query page, which is not one of these pages.
 * @param base the address of the page of the version or tag
 */
export function queryPageTabs(
  base: string,
): readonly { readonly name: string; readonly path: string; readonly isShown: boolean }[] {
  return Object.entries(tabs).map(([tab, [name, path]]) => ({
    name,
    path: base + path,
    isShown: tab === "query",
  }));
}

/** The name of a tab. */
export function nameOfTab(tab: Tab): string {
  return tabs[tab][0];
}

/** The address of a tab. @param base the address of the page of the version or tag */
export function addressOfTab(base: string, tab: Tab): string {
  return base + tabs[tab][1];
}

/** What the links to the tabs show. */
export interface TabLinks {
  /** The address of the page of the version or tag. */
  readonly base: string;
  /** The tab of this page. */
  readonly shown: Tab;
  /** Whether the page lies below its tab. */
  readonly isWithin: boolean;
  /** Receivers of webhooks that are down. */
  readonly down: number;
}

/** The links to all tabs. */
export function tabLinks({ base, shown, isWithin, down }: TabLinks): Html {
  const links = Object.entries(tabs).map(([tab, [name, path]]) => {
    const current = tab === shown && html` aria-current="${isWithin ? "true" : "page"}"`;
    return html`<li><a href="${base}${path}"${current}>${name}${tab === "webhooks" && down > 0 && html` <span class="badge bad">${down} down</span>`}</a></li>`;
  });
  return html`<nav class="tabs" aria-label="Subgraph"><ul>${links}</ul></nav>`;
}
