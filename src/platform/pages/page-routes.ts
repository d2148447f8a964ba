import type { FastifyInstance } from "fastify";
import { doerOf } from "../http/doer-of.js";
import { type Html, html } from "../http/html.js";
import type { Accounts } from "../people/accounts.js";
import { type ApiKey, listApiKeys, mayActAs, type Role, roles } from "../people/api-keys.js";
import { createKey, revokeKey } from "../people/manage-keys.js";
import { readName } from "../people/names.js";
import type { Pipelines } from "../pipelines/pipelines.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { addAssets } from "./assets.js";
import { createHistories } from "./charts/histories.js";
import { addHistoryFile } from "./charts/history-route.js";
import { copiedText } from "./copy-button.js";
import { addDataPage } from "./data-page.js";
import { addEndpointPages } from "./edge/endpoint-routes.js";
import { addEntityExports } from "./entities/entity-exports.js";
import { addEntityHistoryFile } from "./entities/entity-history-file.js";
import { createEntityCounts, createNewEntities } from "./entity-counts.js";
import { addManualPages } from "./manual/manual-pages.js";
import { addMap } from "./map/map-route.js";
import { createMaps } from "./map/maps.js";
import { addNodePage } from "./nodes/node-routes.js";
import { createNotices } from "./notices.js";
import { addOverview } from "./overview/overview-routes.js";
import { createPageScope, type PageOptions, type PageScope } from "./page-scope.js";
import { confirmed, dayOf, wideTable } from "./parts.js";
import { addAccountPages } from "./people/account-pages.js";
import { addAuditPages } from "./people/audit-pages.js";
import { addAuthorizePages } from "./people/authorize-pages.js";
import { addInvitationPages } from "./people/invitation-pages.js";
import { addMemberPages } from "./people/member-pages.js";
import { addOidcPages } from "./people/oidc-pages.js";
import { addPasswordPages } from "./people/password-pages.js";
import { addProjectPages } from "./people/project-pages.js";
import { addPipelinePages } from "./pipelines/pipeline-routes.js";
import { addSecretPages } from "./secrets/secret-routes.js";
import type { SignInCodes } from "./sign-in/sign-in-codes.js";
import { addSignIn } from "./sign-in.js";
import { addSubgraphPages } from "./subgraph-routes.js";

/**
 * Adds all pages: the sign-in, subgraphs with their entities and logs, webhooks, pipelines, secrets, endpoints,
 * API keys, people and documentation.
 * @param pipelines absent on a server that runs none
 */
export function addPages(
  app: FastifyInstance,
  platform: Platform,
  options: PageOptions & { readonly codes: SignInCodes; readonly accounts: Accounts },
  pipelines?: Pipelines,
): void {
  const pages = createPageScope(app, platform, options);
  addAssets(app);
  addManualPages(app, pages, options.manual ?? []);
  addSignIn(pages, platform, options);
  const { draft } = options;
  addOverview(pages, platform, options);
  const maps = {
    mapOf: createMaps(platform),
    countsOf: createEntityCounts(platform.world),
    newOf: createNewEntities(platform),
  };
  const historyOf = createHistories(platform);
  addSubgraphPages(pages, platform, { ...maps, historyOf }, draft);
  addHistoryFile(app, platform, { ofBrowser: pages.ofBrowser, historyOf });
  addMap(app, platform, { ofBrowser: pages.ofBrowser, ...maps });
  addEntityExports(app, platform, pages);
  addEntityHistoryFile(app, platform, pages);
  addPipelinePages(app, pages, pipelines);
  addDataPage(app, pages, platform);
  addNodePage(pages, platform, options.nodeCounts);
  addSecretPages(pages, platform);
  addEndpointPages(pages, platform);
  // A server without sign-in has no people to manage and no keys that would outlive it.
  if (!options.isOpen) addPeoplePages(app, pages, platform, options.accounts);
}

function addPeoplePages(
  app: FastifyInstance,
  pages: PageScope,
  platform: Platform,
  accounts: Accounts,
): void {
  addKeyPages(pages, platform);
  addAccountPages(pages, platform, accounts);
  addProjectPages(pages, platform);
  addMemberPages(pages, platform, accounts);
  addInvitationPages(pages, platform, accounts);
  addAuthorizePages(pages, platform);
  addAuditPages(app, pages, platform);
  addOidcPages(pages, platform, accounts);
  addPasswordPages(pages, platform, accounts);
}

function addKeyPages(pages: PageScope, platform: Platform): void {
  const { database } = platform;
  const notices = createNotices<string>(platform, "/keys");
  pages.get("/keys", "Viewer", async (visit) => {
    const { project, role } = visit.caller;
    const added = await notices.take(visit);
    return {
      title: "API keys",
      body: keysPage(await listApiKeys(database, project), role, added),
      scripts: ["copy.js"],
    };
  });
  pages.post("/keys", "Editor", async ({ visitor, form, request }) => {
    const name = readName(form.get("name") ?? "");
    const role = roles.find((each) => each === form.get("role"));
    if (name === undefined || !role) throw new Problem("bad-request", "Give the key a name and a role.");
    const { key } = await createKey(database, doerOf(request), { name, role });
    await notices.put({ visitor }, key);
    return "/keys";
  });
  pages.post("/keys/:id/revoke", "Editor", async ({ path: { id = "" }, request }) => {
    await revokeKey(database, doerOf(request), id);
    return "/keys";
  });
}

/** The API keys of a project. A new key is shown once. */
function keysPage(keys: readonly ApiKey[], role: Role, added?: string): Html {
  const mayChange = mayActAs(role, "Editor");
  return html`${added !== undefined && html`<div class="notice" role="status"><strong>Your new API key. Copy it now: it is not shown again.</strong>${copiedText("new-key", added, "the API key")}</div>`}
${mayChange && newKey(role)}
${wideTable(
  ["Name", "Role", "Created", "Created by", "Last used", "Actions"].map(
    (text) => html`<th scope="col">${text}</th>`,
  ),
  keys.map((key) => rowOf(key, mayChange && mayActAs(role, key.role))),
  "API keys",
)}`;
}

function rowOf(
  { id, name, role, createdAt, lastUsedAt, revokedAt, maker }: ApiKey,
  mayRevoke: boolean,
): Html {
  const ending =
    mayRevoke &&
    confirmed({
      id: `revoke-${id}`,
      word: "Revoke",
      label: `Revoke ${name}`,
      question: "Everything that uses this key stops working at once. You cannot restore a revoked key.",
      action: `/keys/${encodeURIComponent(id)}/revoke`,
    });
  return html`<tr><td>${name}</td><td>${role}</td><td>${dayOf(createdAt)}</td><td>${maker ? html`<span title="${maker.id}">${maker.name}</span>` : html`<span class="soft">the server</span>`}</td><td>${lastUsedAt ? dayOf(lastUsedAt) : "never"}</td>
<td>${revokedAt ? html`<span class="soft">revoked ${dayOf(revokedAt)}</span>` : ending}</td></tr>`;
}

function newKey(own: Role): Html {
  const offered = roles.filter((role) => mayActAs(own, role));
  return html`<form class="line" method="post" action="/keys">
<label>Name <input name="name" required maxlength="80" autocomplete="off"></label>
<label>Role <select name="role">${offered.map((role) => html`<option>${role}</option>`)}</select></label>
<button class="main">Create API key</button></form>`;
}
