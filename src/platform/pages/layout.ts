import { Html, type HtmlValue, html } from "./html.js";

/** A page and where it stands. */
export interface Page {
  readonly title: string;
  /** The way to it: texts and addresses, the outermost first. */
  readonly trail?: readonly (readonly [text: string, address: string])[];
  readonly body: HtmlValue;
  /** Whether somebody is signed in, who can be told where else to go. */
  readonly isSignedIn: boolean;
  /** Whether it is read again while somebody looks. */
  readonly isLive?: boolean;
}

/** The document of a page. */
export function documentOf({ title, trail = [], body, isSignedIn, isLive = false }: Page): string {
  const way = trail.map(([text, address]) => html`<li><a href="${address}">${text}</a></li>`);
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · graphloom</title>
<link rel="icon" href="/assets/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
${isLive && new Html('<script src="/assets/live.js" type="module"></script>')}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="name" href="/">graphloom</a>
${isSignedIn && navigation}
</header>
<main id="content" tabindex="-1"${isLive && new Html(" data-live")}>
${way.length > 0 && html`<nav aria-label="Way"><ol class="way">${way}</ol></nav>`}
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  return page.markup;
}

const navigation = html`<nav aria-label="Main">
<a href="/">Subgraphs</a>
<a href="/keys">Keys</a>
<a href="/api/v1/docs">API</a>
<form method="post" action="/sign-out"><button class="plain">Sign out</button></form>
</nav>`;
