import { navigationOf, type Place } from "./frame.js";
import { assetOf, frameStyle } from "./frame-style.js";
import { type Html, html } from "./html.js";

/** The style of pages that libraries draw: the common style, without a margin around the line at the top. */
export const foreignFrameStyle = `${frameStyle}body {
  margin: 0;
}
`;

/** The icon of the other pages. Not every server with such a page has them. */
const mark = `data:image/svg+xml;base64,${Buffer.from(assetOf("icon.svg")).toString("base64")}`;

/** The first lines in the head of a page that a library draws. */
export const foreignHead: Html = html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="${mark}" type="image/svg+xml">`;

/**
 * The header above a page that a library draws, as on all other pages.
 * @param places its links; empty on a server without other pages
 * @param path the path of the page, without its query
 * @param content the id of the element after the header
 */
export function foreignHeader(places: readonly Place[], path: string, content: string): Html {
  const hasOthers = places.length > 0;
  return html`<a class="skip" href="#${content}">Skip to content</a>
<header><a class="name" href="${hasOthers ? "/" : path}"><img src="${mark}" alt="" width="24" height="24"><span>graphloom</span></a>
${hasOthers && navigationOf(places, path)}</header>`;
}
