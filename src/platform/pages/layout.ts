import { createHash } from "node:crypto";
import { api, docs, frameOf, type Menu, navigationOf, type Place, subgraphs } from "../http/frame.js";
import { Html, type HtmlValue, html, wordsOf } from "../http/html.js";
import { mayActAs } from "../people/api-keys.js";
import type { PageScript } from "./assets.js";
import { iconOf } from "./icon.js";
import type { Visitor } from "./sign-in/session.js";

/** The pages of a project's work. */
const work: readonly Place[] = [
  subgraphs,
  ["Pipelines", "/pipelines", ["/new-pipeline"]],
  ["Data", "/data"],
  ["Nodes", "/nodes"],
  ["Endpoints", "/endpoints"],
  ["Secrets", "/secrets", ["/new-secret"]],
];

const account: Menu = {
  title: "Account",
  places: [["Your account", "/account"]],
  end: html`<form method="post" action="/sign-out"><button>Sign out</button></form>`,
};

/** A page and its place among the others. */
export interface PageLayout {
  readonly title: string;
  /** The number of failures on the page. The title in the browser's tab and its icon show it. */
  readonly failures?: number;
  /** The links to the pages above it, outermost first. */
  readonly trail?: readonly (readonly [text: string, address: string])[];
  readonly body: HtmlValue;
  /** The visitor, for the navigation. Absent without a sign-in. */
  readonly visitor?: Visitor | undefined;
  /** The address that the browser continues to automatically. */
  readonly leadsTo?: string;
  /** An origin besides this server that its forms may redirect to. */
  readonly formTarget?: string;
  /** Extra scripts of the page, among the assets. The page works without them, or says what is missing. */
  readonly scripts?: readonly PageScript[];
  /** Whether the page renews itself while it is visible. */
  readonly isLive?: boolean;
  /** On a page that renews itself, a sentence that screen readers read out when it changes. */
  readonly news?: HtmlValue;
}

/**
 * The HTML document of a page.
 * @param path of its address, without the query
 */
export function documentOf(page: PageLayout, path: string): string {
  const { failures = 0, visitor, isLive = false, scripts = [], leadsTo } = page;
  return frameOf({
    title: tabOf(page),
    icon: iconOf(failures),
    navigation: navigation(visitor, path),
    content: new Html(contentOf(page)),
    ...(isLive && { attributes: html` data-live="${tagOf(page)}" data-news="${newsOf(page)}"` }),
    head: html`${leadsTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${leadsTo}">`}
${[...(isLive ? (["live.js"] as const) : []), ...scripts].map((name) => html`<script src="/assets/${name}" type="module"></script>\n`)}`,
  });
}

/** The title in the browser's tab: `(2 failed) Subgraphs`. */
export function tabOf({ title, failures = 0 }: Pick<PageLayout, "title" | "failures">): string {
  return failures > 0 ? `(${failures} failed) ${title}` : title;
}

/** The markup of a page within its frame. */
export function contentOf({ title, trail = [], body }: PageLayout): string {
  const way = trail.map(([text, address]) => html`<li><a href="${address}">${text}</a></li>`);
  return html`
${way.length > 0 && html`<nav aria-label="Breadcrumb"><ol class="way">${way}</ol></nav>`}
<h1>${title}</h1>
${body}
`.markup;
}

/** The sentence for screen readers, as plain text. */
export function newsOf({ news = "" }: PageLayout): string {
  const { markup } = wordsOf(html`${news}`);
  return markup.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
}

/** A short text that changes with the content of a page. */
export function tagOf(page: PageLayout): string {
  const shown = JSON.stringify([tabOf(page), newsOf(page), contentOf(page)]);
  return createHash("sha256").update(shown).digest("base64url").slice(0, 22);
}

/**
 * The links at the top of a page that a visitor may follow.
 * @param path of the page, without its query
 */
function navigation(visitor: Visitor | undefined, path: string): Html {
  // Without a session, the pages are open to the users of this machine.
  const isAdmitted = visitor && (visitor.sessionId === undefined || visitor.caller);
  const places = isAdmitted ? work : [];
  const help = visitor ? [docs, api] : [docs];
  return visitor?.sessionId === undefined
    ? navigationOf([...places, ...help], path)
    : navigationOf(places, path, [...help, projectMenu(visitor), account]);
}

/** The project that is shown, with its people and keys. */
function projectMenu({ caller, projects }: Visitor): Menu {
  const shown = projects.find(({ id }) => id === caller?.project);
  const isAdmin = caller && mayActAs(caller.role, "Admin");
  return {
    title: shown?.name ?? "Project",
    places: [
      ["Projects", "/projects"],
      ...(caller
        ? ([
            ["Members", "/members"],
            ["API keys", "/keys"],
          ] as const)
        : []),
      ...(isAdmin ? ([["Audit log", "/audit"]] as const) : []),
    ],
  };
}
