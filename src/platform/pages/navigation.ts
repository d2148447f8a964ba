import { type Html, html } from "../http/html.js";
import { mayActAs } from "../people/api-keys.js";
import type { Visitor } from "./session.js";

/** A link of the navigation, and where the addresses of the pages behind it begin. */
type Place = readonly [text: string, address: string, within?: readonly string[]];

const subgraphs: Place = ["Subgraphs", "/", ["/dashboard/"]];
const pipelines: Place = ["Pipelines", "/pipelines", ["/new-pipeline"]];
const data: Place = ["Data", "/data"];
const docs: Place = ["Docs", "/docs"];
const api: Place = ["API", "/api/v1/docs"];

/**
 * The links at the top of every page. The one that leads to where the visitor is says so.
 * @param path of the page, without its query
 */
export function navigation(visitor: Visitor | undefined, path: string): Html {
  const links = placesOf(visitor).map((place) => linkTo(place, path));
  const isSignedIn = visitor?.sessionId !== undefined;
  return html`<nav aria-label="Main">${links}${
    isSignedIn && html`<form method="post" action="/sign-out"><button class="plain">Sign out</button></form>`
  }</nav>`;
}

function placesOf(visitor: Visitor | undefined): readonly Place[] {
  if (!visitor) return [docs];
  const { caller, projects, sessionId } = visitor;
  // Without a session, the pages are open to the users of this machine.
  if (sessionId === undefined) return [subgraphs, pipelines, data, docs, api];
  const shown = projects.find(({ id }) => id === caller?.project);
  const project: Place = [shown ? shown.name : "Projects", "/projects"];
  const isAdmin = caller && mayActAs(caller.role, "Admin");
  return [
    ...(caller ? [subgraphs, pipelines, data] : []),
    project,
    ...(caller
      ? ([
          ["Members", "/members"],
          ["API keys", "/keys"],
        ] as const)
      : []),
    ...(isAdmin ? ([["Audit log", "/audit"]] as const) : []),
    ...[docs, api],
    ["Account", "/account"],
  ];
}

function linkTo([text, address, within = []]: Place, path: string): Html {
  const isHere = path === address;
  const isNear = [...within, ...(address === "/" ? [] : [`${address}/`])].some((each) =>
    path.startsWith(each),
  );
  return html`<a href="${address}"${isHere && html` aria-current="page"`}${!isHere && isNear && html` aria-current="true"`}>${text}</a>
`;
}
