import { type EdgeEndpoint, listEdgeEndpoints, sumEdgeCounts } from "../../edge/edge-endpoints.js";
import { edgeNameIn } from "../../edge/edge-names.js";
import {
  changeEndpoint,
  createEndpoint,
  removeEndpoint,
  requireEndpoint,
  revealEndpointKey,
} from "../../edge/manage-endpoints.js";
import { type Html, html } from "../../http/html.js";
import { mayActAs } from "../../people/api-keys.js";
import type { Platform } from "../../platform.js";
import { FormState, type RefusedForm, requireTypedName, typedNameField } from "../form-state.js";
import { createNotices } from "../notices.js";
import type { Content, FormAgain, PageScope, Visit } from "../page-scope.js";
import {
  budgetIn,
  changeForm,
  changeState,
  domainsIn,
  endpointDeletion,
  endpointsAddress,
  newEndpointForm,
  newEndpointState,
} from "./endpoint-forms.js";
import { endpointAddress, endpointList, endpointPage, shownKey } from "./endpoint-views.js";

/** The most endpoints on a page. */
const shown = 100;
const day = 86_400_000;
const one = `${endpointsAddress}/:endpoint`;

/** Adds the pages of a project's edge endpoints, and the forms that change them. */
export function addEndpointPages(pages: PageScope, platform: Platform): void {
  const { database, settings, world } = platform;
  const scripts = ["copy.js", "times.js"] as const;
  const hasDataService = settings.dataService !== undefined;
  const yesterday = (): number => world.now() - day;
  const noticesOf = (name: string) => createNotices<string>(platform, endpointAddress(name));

  /** Leads to the page of an endpoint, which shows its key once. */
  async function withKey({ visitor }: Visit, name: string, key: string): Promise<string | Content> {
    const own = endpointAddress(name);
    // Without a session, as in development, the key cannot be kept for the next page.
    if (visitor.sessionId === undefined)
      return {
        title: name,
        trail,
        scripts,
        body: html`${shownKey(key)}<p><a href="${own}">Continue to ${name}</a></p>`,
      };
    await noticesOf(name).put({ visitor }, key);
    return own;
  }

  pages.get(endpointsAddress, "Viewer", async ({ caller: { project, role }, query }) => {
    const after = query.get("after") ?? "";
    const found = await listEdgeEndpoints(database, project, undefined, { after, limit: shown + 1 });
    const endpoints = found.slice(0, shown);
    const names = endpoints.map(({ name }) => name);
    const last = names.at(-1);
    const body = endpointList(endpoints, {
      mayChange: mayActAs(role, "Editor"),
      hasDataService,
      isFirst: after === "",
      counts: await sumEdgeCounts(database, project, names, yesterday()),
      ...(found.length > shown && last !== undefined && { next: last }),
    });
    return { title: "Endpoints", body, isLive: true };
  });

  pages.get(one, "Viewer", async (visit) => {
    const { caller } = visit;
    const endpoint = await requireEndpoint(database, caller, nameIn(visit));
    const { name } = endpoint;
    const key = await noticesOf(name).take(visit);
    const counts = await sumEdgeCounts(database, caller.project, [name], yesterday());
    const body = endpointPage(endpoint, {
      mayChange: mayActAs(caller.role, "Editor"),
      server: settings.address(),
      networks: [...settings.nodes.keys()].sort(),
      hasDataService,
      hasExplorer: settings.dataService !== undefined && "service" in settings.dataService,
      count: counts.get(name) ?? { requests: 0, errors: 0 },
      key,
    });
    // A renewal would remove the key.
    return { title: name, trail, scripts, body, isLive: key === undefined };
  });

  pages.post(
    endpointsAddress,
    "Editor",
    async (visit) => {
      const { caller, form } = visit;
      const { endpoint, key } = await createEndpoint(platform, caller, {
        name: form.get("name")?.trim() ?? "",
        product: form.get("product") === "data" ? "data" : "rpc",
        budget: budgetIn(form),
        domains: domainsIn(form),
      });
      return withKey(visit, endpoint.name, key);
    },
    (_, refused) => {
      const state = newEndpointState(refused);
      return {
        title: "New endpoint",
        trail,
        body: html`${state.notice}${newEndpointForm(hasDataService, state)}`,
      };
    },
  );

  // Anyone who may use the key may see it, as in the API. It is a form, because the audit log records it.
  pages.post(`${one}/key`, "Viewer", async (visit) => {
    const name = nameIn(visit);
    return withKey(visit, name, await revealEndpointKey(platform, visit.caller, name));
  });

  /** Shows an endpoint's form again, on a page of its own. */
  const again =
    (
      stateOf: (refused: RefusedForm) => FormState,
      formOf: (endpoint: EdgeEndpoint, own: string, state: FormState) => Html,
    ): FormAgain =>
    async (visit, refused) => {
      const endpoint = await requireEndpoint(database, visit.caller, nameIn(visit));
      const own = endpointAddress(endpoint.name);
      const state = stateOf(refused);
      const body = html`${state.notice}${formOf(endpoint, own, state)}`;
      return { title: endpoint.name, trail: [...trail, [endpoint.name, own]], body };
    };

  pages.post(
    `${one}/change`,
    "Editor",
    async (visit) => {
      const { caller, form } = visit;
      const found = await requireEndpoint(database, caller, nameIn(visit));
      const { name } = await changeEndpoint(database, caller, found.name, {
        budget: budgetIn(form, found.budget),
        domains: domainsIn(form),
      });
      return endpointAddress(name);
    },
    again(changeState, changeForm),
  );

  for (const [action, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    pages.post(`${one}/${action}`, "Editor", async (visit) => {
      const { name } = await changeEndpoint(database, visit.caller, nameIn(visit), { isPaused });
      return endpointAddress(name);
    });
  }

  pages.post(
    `${one}/delete`,
    "Editor",
    async (visit) => {
      const { caller, form } = visit;
      const { name } = await requireEndpoint(database, caller, nameIn(visit));
      requireTypedName(form, name);
      await removeEndpoint(database, caller, name);
      return endpointsAddress;
    },
    again((refused) => new FormState([typedNameField], refused), endpointDeletion),
  );
}

const trail = [["Endpoints", endpointsAddress]] as const;

function nameIn({ path: { endpoint = "" } }: Visit): string {
  return edgeNameIn({ name: endpoint });
}
