import { randomBytes } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { addApiKey, listApiKeys, mayActAs, revokeApiKey, roles } from "../catalog/api-keys.js";
import { Problem } from "../http/problem.js";
import type { Platform } from "../platform.js";
import { addAssets } from "./assets.js";
import { keysPage } from "./keys-page.js";
import { addMap } from "./map-route.js";
import { overview } from "./overview.js";
import { createPageScope, type PageOptions, type PageScope } from "./page-scope.js";
import { addSignIn } from "./sign-in.js";
import type { SignInCodes } from "./sign-in-codes.js";
import { addSubgraphPages } from "./subgraph-routes.js";
import { readOverview } from "./views.js";
import { addWebhookPages } from "./webhook-routes.js";

/** What people look at: what is deployed, its entities and its log, keys; and the way in. */
export function addPages(
  app: FastifyInstance,
  platform: Platform,
  options: PageOptions & { readonly codes: SignInCodes },
): void {
  const pages = createPageScope(app, platform, options);
  addAssets(app);
  addSignIn(app, platform, options.codes);
  pages.get("/", "Viewer", async ({ caller }) => ({
    title: "Subgraphs",
    body: overview(await readOverview(platform, caller.project), platform.settings.address()),
    isLive: true,
  }));
  addSubgraphPages(pages, platform);
  addMap(app, platform, pages.callerOf);
  addWebhookPages(pages, platform);
  addKeyPages(pages, platform);
}

function addKeyPages(pages: PageScope, { database }: Platform): void {
  pages.get("/keys", "Viewer", async ({ caller }) => ({
    title: "Keys",
    body: keysPage(await listApiKeys(database, caller.project), caller.role),
  }));
  pages.post("/keys", "Editor", async ({ caller, form }) => {
    const name = (form.get("name") ?? "").trim();
    const role = roles.find((each) => each === form.get("role"));
    if (name === "" || name.length > 80 || !role)
      throw new Problem("bad-request", "Give the key a name and a role.");
    if (!mayActAs(caller.role, role)) throw new Problem("forbidden", `You cannot give the role ${role}.`);
    const key = `gl_${randomBytes(24).toString("base64url")}`;
    const id = `key_${randomBytes(12).toString("hex")}`;
    await addApiKey(database, { id, project: caller.project, name, role, key });
    return { title: "Keys", body: keysPage(await listApiKeys(database, caller.project), caller.role, key) };
  });
  pages.post("/keys/:id/revoke", "Editor", async ({ caller, path: { id = "" } }) => {
    const found = (await listApiKeys(database, caller.project)).find((key) => key.id === id);
    if (!found) throw new Problem("not-found", "There is no such key.");
    if (!mayActAs(caller.role, found.role))
      throw new Problem("forbidden", `You cannot revoke a key with the role ${found.role}.`);
    await revokeApiKey(database, caller.project, id);
    return "/keys";
  });
}
