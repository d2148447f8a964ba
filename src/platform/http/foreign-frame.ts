import { navigationOf, type Place } from "./frame.js";
import { html } from "./html.js";

/**
 * The style of the header above pages that libraries draw. It keeps to the header, because the rest is the library's own.
 * The colors are those of the other pages.
 */
export const foreignFrameStyle = `
body{margin:0}
.frame{display:flex;flex-wrap:wrap;gap:0 1.5rem;align-items:center;padding:0 clamp(1rem,4vw,3rem);
border-bottom:1px solid light-dark(#e2e3ea,#2c2e37);background:light-dark(#fff,#191a20);font:1rem/1.5 system-ui,sans-serif}
.frame nav{display:flex;flex-wrap:wrap;gap:0 1rem}
.frame a{padding:.75rem 0 calc(.75rem - 3px);border-bottom:3px solid transparent;color:light-dark(#5d6070,#a2a5b5);text-decoration:none}
.frame a:hover{color:light-dark(#1c1d24,#e9eaf0);border-bottom-color:light-dark(#e2e3ea,#2c2e37)}
.frame a:focus-visible{outline:2px solid light-dark(#4a45c9,#9d99ff);outline-offset:2px;border-radius:4px}
.frame a[aria-current]{color:light-dark(#1c1d24,#e9eaf0);border-bottom-color:light-dark(#4a45c9,#9d99ff);font-weight:600}
.frame .name{display:flex;gap:.5rem;align-items:center;color:light-dark(#1c1d24,#e9eaf0);font-weight:700;letter-spacing:-.01em}
@media print{.frame nav{display:none}}
`;

/** The icon of the other pages. Not every server with such a page has them. */
const mark = `data:image/svg+xml;base64,${Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><g fill="none" stroke="#5b5bd6" stroke-width="3" stroke-linecap="round"><path d="M5 8h22M5 16h22M5 24h22"/><path stroke="#12a594" d="M10 4v8M10 20v8M22 12v8"/></g></svg>',
).toString("base64")}`;

/**
 * The header above a page that a library draws, as all other pages have it.
 * @param places its links; none on a server without other pages
 * @param path of the page, without its query
 */
export function foreignHeader(places: readonly Place[], path: string): string {
  const hasOthers = places.length > 0;
  return html`<header class="frame"><a class="name" href="${hasOthers ? "/" : path}"><img src="${mark}" alt="" width="24" height="24">graphloom</a>
${hasOthers && navigationOf(places, path)}</header>`.markup;
}
