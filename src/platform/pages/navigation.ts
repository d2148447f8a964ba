import { api, docs, navigationOf, type Place, subgraphs } from "../http/frame.js";
import { type Html, html } from "../http/html.js";
import { mayActAs } from "../people/api-keys.js";
import type { Visitor } from "./session.js";

const pipelines: Place = ["Pipelines", "/pipelines", ["/new-pipeline"]];
const data: Place = ["Data", "/data"];
const nodes: Place = ["Nodes", "/nodes"];
const endpoints: Place = ["Endpoints", "/endpoints"];
const secrets: Place = ["Secrets", "/secrets", ["/new-secret"]];

/**
 * The links at the top of a page that a visitor may follow.
 * @param path of the page, without its query
 */
export function navigation(visitor: Visitor | undefined, path: string): Html {
  const isSignedIn = visitor?.sessionId !== undefined;
  return navigationOf(
    placesOf(visitor),
    path,
    isSignedIn && html`<form method="post" action="/sign-out"><button class="plain">Sign out</button></form>`,
  );
}

function placesOf(visitor: Visitor | undefined): readonly Place[] {
  if (!visitor) return [docs];
  const { caller, projects, sessionId } = visitor;
  // Without a session, the pages are open to the users of this machine.
  if (sessionId === undefined) return [subgraphs, pipelines, data, nodes, endpoints, secrets, docs, api];
  const shown = projects.find(({ id }) => id === caller?.project);
  const isAdmin = caller && mayActAs(caller.role, "Admin");
  return [
    ...(caller ? [subgraphs, pipelines, data, nodes, endpoints, secrets] : []),
    [shown ? shown.name : "Projects", "/projects"],
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
