import { Html, type HtmlValue, html } from "../http/html.js";
import { mayActAs } from "../people/api-keys.js";
import type { Visitor } from "./session.js";

/** A page and its place among the others. */
export interface PageLayout {
  readonly title: string;
  /** The title in the browser's tab; by default, the title of the page. */
  readonly tab?: string;
  /** The links to the pages above it, outermost first. */
  readonly trail?: readonly (readonly [text: string, address: string])[];
  readonly body: HtmlValue;
  /** The visitor, for the navigation. Absent without a sign-in. */
  readonly visitor?: Visitor | undefined;
  /** The address that the browser continues to by itself. */
  readonly leadsTo?: string;
  /** An origin besides this server that its forms may redirect to. */
  readonly formTarget?: string;
  /** A script of its own, among the assets. The page must say what is missing without it. */
  readonly script?: "rows.js";
  /** Whether the page reloads while it is visible. */
  readonly isLive?: boolean;
  /** On a page that reloads, a sentence that screen readers read out when it changes. */
  readonly news?: HtmlValue;
}

/** The HTML document of a page. */
export function documentOf({
  title,
  tab = title,
  trail = [],
  body,
  visitor,
  isLive = false,
  script,
  news,
  leadsTo,
}: PageLayout): string {
  const way = trail.map(([text, address]) => html`<li><a href="${address}">${text}</a></li>`);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${tab} · graphloom</title>
${leadsTo !== undefined && html`<meta http-equiv="refresh" content="0;url=${leadsTo}">`}
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
${isLive && new Html('<script src="/assets/live.js" type="module"></script>')}
${script !== undefined && html`<script src="/assets/${script}" type="module"></script>`}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="name" href="/">graphloom</a>
${visitor ? navigation(visitor) : html`<nav aria-label="Main"><a href="/docs">Docs</a></nav>`}
</header>
<main id="content" tabindex="-1"${isLive && html` data-live data-news="${news ?? ""}"`}>
${way.length > 0 && html`<nav aria-label="Breadcrumb"><ol class="way">${way}</ol></nav>`}
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return page.markup;
}

function navigation({ caller, projects, sessionId }: Visitor): Html {
  // Without a session, the pages are open to the users of this machine.
  if (sessionId === undefined) {
    return html`<nav aria-label="Main"><a href="/">Subgraphs</a>
<a href="/pipelines">Pipelines</a>
<a href="/data">Data</a>
<a href="/docs">Docs</a>
<a href="/api/v1/docs">API</a></nav>`;
  }
  const shown = projects.find(({ id }) => id === caller?.project);
  return html`<nav aria-label="Main">
${
  caller &&
  html`<a href="/">Subgraphs</a>
<a href="/pipelines">Pipelines</a>
<a href="/data">Data</a>`
}
<a href="/projects">${shown ? shown.name : "Projects"}</a>
${
  caller &&
  html`<a href="/members">Members</a>
<a href="/keys">API keys</a>`
}
${caller && mayActAs(caller.role, "Admin") && html`<a href="/audit">Audit log</a>`}
<a href="/docs">Docs</a>
<a href="/api/v1/docs">API</a>
<a href="/account">Account</a>
<form method="post" action="/sign-out"><button class="plain">Sign out</button></form>
</nav>`;
}
