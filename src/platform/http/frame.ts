import { type Html, html } from "./html.js";

/** A link of the navigation, and where the addresses of the other pages behind it begin. */
export type Place = readonly [text: string, address: string, within?: readonly string[]];

/** Places that every page can lead to. */
export const subgraphs: Place = ["Subgraphs", "/", ["/dashboard/"]];
export const docs: Place = ["Docs", "/docs"];
export const api: Place = ["API", "/api/v1/docs", ["/api/"]];

/** What a frame is put around. */
export interface Framed {
  /** The title in the browser's tab. */
  readonly title: string;
  readonly navigation: Html;
  /** What comes between the tags of `main`. */
  readonly content: Html;
  /** More attributes of `main`, after a space. */
  readonly attributes?: Html | undefined;
  /** More of the document's head. */
  readonly head?: Html | undefined;
  /** The address of the icon in the browser's tab. */
  readonly icon?: string;
}

/** The document of a page: the frame that all pages share, around a content. */
export function frameOf({
  title,
  navigation,
  content,
  attributes,
  head,
  icon = "/assets/icon.svg",
}: Framed): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title} · graphloom</title>
<link rel="icon" href="${icon}" type="image/svg+xml">
<link rel="stylesheet" href="/assets/style.css">
<script src="/assets/frame.js" type="module"></script>
${head}
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header>
<a class="name" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24">graphloom</a>
${navigation}
</header>
<main id="content" tabindex="-1"${attributes}>${content}</main>
</body>
</html>
`.markup;
}

/**
 * The links at the top of a page. The one that leads to where the visitor is says so.
 * @param path of the page, without its query
 * @param end what follows the links
 */
export function navigationOf(places: readonly Place[], path: string, end?: Html | false): Html {
  return html`<nav aria-label="Main">${places.map((place) => linkTo(place, path))}${end}</nav>`;
}

function linkTo([text, address, within = []]: Place, path: string): Html {
  const isHere = path === address;
  const begins = [...within, ...(address === "/" ? [] : [`${address}/`])];
  const isNear = !isHere && begins.some((each) => path.startsWith(each));
  return html`<a href="${address}"${isHere && html` aria-current="page"`}${isNear && html` aria-current="true"`}>${text}</a>
`;
}

/**
 * What a page may load: only what this server has.
 * @param formTarget an origin besides this server that forms may redirect to
 */
export function policyOf(formTarget = ""): string {
  return (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; connect-src 'self'; " +
    `form-action 'self'${formTarget === "" ? "" : ` ${formTarget}`}; base-uri 'none'; frame-ancestors 'none'`
  );
}
