import { type Html, html } from "./html.js";

/** A link of the navigation, and where the addresses of the other pages behind it begin. */
export type Place = readonly [text: string, address: string, within?: readonly string[]];

/** Links of the navigation that unfold below a word. */
export interface Menu {
  readonly title: string;
  readonly places: readonly Place[];
  /** The content after the links. */
  readonly end?: Html;
}

/** Places that every page can lead to. */
export const subgraphs: Place = ["Subgraphs", "/", ["/dashboard/"]];
export const docs: Place = ["Docs", "/docs"];
export const api: Place = ["API", "/api/v1/docs", ["/api/"]];

/** The page to put a frame around. */
export interface Framed {
  /** The title in the browser's tab. */
  readonly title: string;
  readonly navigation: Html;
  /** The content of `main`. */
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
<a class="name" href="/"><img src="/assets/icon.svg" alt="" width="24" height="24"><span>graphloom</span></a>
${navigation}
</header>
<main id="content" tabindex="-1"${attributes}>${content}</main>
</body>
</html>
`.markup;
}

/**
 * The links at the top of a page. The link to the current page is marked, and so is its menu. Menus need no script.
 * @param path the path of the page, without its query
 * @param more appears at the end of the line
 */
export function navigationOf(
  places: readonly Place[],
  path: string,
  more: readonly (Place | Menu)[] = [],
): Html {
  const rest = more.map((each) => ("places" in each ? menuOf(each, path) : linkTo(each, path)));
  return html`<nav aria-label="Main">${places.map((place) => linkTo(place, path))}</nav>
${rest.length > 0 && html`<nav class="more" aria-label="More">${rest}</nav>`}`;
}

/** Browsers open only one menu of a name at a time. */
function menuOf({ title, places, end }: Menu, path: string): Html {
  const isHere = places.some((place) => standing(place, path) !== undefined);
  return html`<details class="menu" name="menu"><summary${isHere && html` aria-current="true"`}><span>${title}</span></summary>
<div>${places.map((place) => linkTo(place, path))}${end}</div></details>
`;
}

function linkTo(place: Place, path: string): Html {
  const [text, address] = place;
  const where = standing(place, path);
  return html`<a href="${address}"${where && html` aria-current="${where}"`}>${text}</a>
`;
}

/** Whether a place is the page itself, or an ancestor of the page. */
function standing([, address, within = []]: Place, path: string): "page" | "true" | undefined {
  if (path === address) return "page";
  const begins = [...within, ...(address === "/" ? [] : [`${address}/`])];
  return begins.some((each) => path.startsWith(each)) ? "true" : undefined;
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
