import { api, docs, type Menu, navigationOf, type Place, subgraphs } from "../http/frame.js";
import { type Html, html } from "../http/html.js";
import { mayActAs } from "../people/api-keys.js";
import type { Visitor } from "./session.js";

/** What a project works with. */
const work: readonly Place[] = [
  subgraphs,
  ["Pipelines", "/pipelines", ["/new-pipeline"]],
  ["Data", "/data"],
  ["Nodes", "/nodes"],
  ["Endpoints", "/endpoints"],
  ["Secrets", "/secrets", ["/new-secret"]],
];

/**
 * The links at the top of a page that a visitor may follow.
 * @param path of the page, without its query
 */
export function navigation(visitor: Visitor | undefined, path: string): Html {
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

const account: Menu = {
  title: "Account",
  places: [["Your account", "/account"]],
  end: html`<form method="post" action="/sign-out"><button>Sign out</button></form>`,
};
