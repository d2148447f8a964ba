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

/** The name of a tab. */
export function nameOfTab(tab: Tab): string {
  return tabs[tab][0];
}

/** The address of a tab. @param base the address of the page of the version or tag */
export function addressOfTab(base: string, tab: Tab): string {
  return base + tabs[tab][1];
}

/**
 * The links to all tabs.
 * @param base the address of the page of the version or tag
 * @param shown the tab of this page
 * @param isWithin whether the page lies below its tab
 */
export function tabLinks(base: string, shown: Tab, isWithin = false): Html {
  const links = Object.entries(tabs).map(([tab, [name, path]]) => {
    const current = tab === shown && html` aria-current="${isWithin ? "true" : "page"}"`;
    return html`<li><a href="${base}${path}"${current}>${name}</a></li>`;
  });
  return html`<nav class="tabs" aria-label="Subgraph"><ul>${links}</ul></nav>`;
}
