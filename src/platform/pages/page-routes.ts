import type { FastifyInstance } from "fastify";
import type { Accounts } from "../accounts/accounts.js";
import { createKey, revokeKey } from "../accounts/manage-keys.js";
import { readName } from "../accounts/names.js";
import { listApiKeys, roles } from "../catalog/api-keys.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { addAssets } from "./assets.js";
import { keysPage } from "./keys-page.js";
import { addMap } from "./map-route.js";
import { overview } from "./overview.js";
import { createPageScope, type PageOptions, type PageScope } from "./page-scope.js";
import { addAccountPages } from "./people/account-pages.js";
import { addAuditPages } from "./people/audit-pages.js";
import { addAuthorizePages } from "./people/authorize-pages.js";
import { addInvitationPages } from "./people/invitation-pages.js";
import { addMemberPages } from "./people/member-pages.js";
import { addOidcPages } from "./people/oidc-pages.js";
import { addPasswordPages } from "./people/password-pages.js";
import { addProjectPages } from "./people/project-pages.js";
import { addSignIn } from "./sign-in.js";
import type { SignInCodes } from "./sign-in-codes.js";
import { addSubgraphPages } from "./subgraph-routes.js";
import { readOverview } from "./views.js";
import { addWebhookPages } from "./webhook-routes.js";

/** What people look at: what is deployed, its entities and its log, keys; and the way in. */
export function addPages(
  app: FastifyInstance,
  platform: Platform,
  options: PageOptions & { readonly codes: SignInCodes; readonly accounts: Accounts },
): void {
  const pages = createPageScope(app, platform, options);
  addAssets(app);
  addSignIn(app, pages, platform, options);
  pages.get("/", "Viewer", async ({ caller }) => ({
    title: "Subgraphs",
    body: overview(await readOverview(platform, caller.project), platform.settings.address()),
    isLive: true,
  }));
  addSubgraphPages(pages, platform);
  addMap(app, platform, pages.callerOf);
  addWebhookPages(pages, platform);
  addKeyPages(pages, platform);
  const { accounts } = options;
  addAccountPages(pages, platform, accounts);
  addProjectPages(pages, platform);
  addMemberPages(pages, platform, accounts);
  addInvitationPages(pages, platform, accounts);
  addAuthorizePages(pages, platform);
  addAuditPages(pages, platform);
  addOidcPages(pages, platform, accounts);
  addPasswordPages(pages, platform, accounts);
}

function addKeyPages(pages: PageScope, { database }: Platform): void {
  pages.get("/keys", "Viewer", async ({ caller }) => ({
    title: "Keys",
    body: keysPage(await listApiKeys(database, caller.project), caller.role),
  }));
  pages.post("/keys", "Editor", async ({ caller, form, request }) => {
    const name = readName(form.get("name") ?? "");
    const role = roles.find((each) => each === form.get("role"));
    if (name === undefined || !role) throw new Problem("bad-request", "Give the key a name and a role.");
    const { key } = await createKey(database, { caller, address: request.ip }, { name, role });
    return { title: "Keys", body: keysPage(await listApiKeys(database, caller.project), caller.role, key) };
  });
  pages.post("/keys/:id/revoke", "Editor", async ({ caller, path: { id = "" }, request }) => {
    await revokeKey(database, { caller, address: request.ip }, id);
    return "/keys";
  });
}
