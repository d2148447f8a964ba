import type { FastifyInstance } from "fastify";
import type { Page } from "playwright-core";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { endpoints } from "../../../src/platform/endpoints/endpoints.js";
import { createApp } from "../../../src/platform/http/app.js";
import { addPages } from "../../../src/platform/pages/page-routes.js";
import { identifyBrowser } from "../../../src/platform/pages/sign-in/identify-browser.js";
import { createSignInCodes } from "../../../src/platform/pages/sign-in/sign-in-codes.js";
import { queryPageTabs } from "../../../src/platform/pages/subgraph/tabs.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { createProject } from "../../../src/platform/people/projects.js";
import { beginSession, showProject } from "../../../src/platform/people/sign-in/sessions.js";
import { type Database, SQL } from "../../../src/store/database/database.js";
import { migrate } from "../../../src/store/database/migrate.js";
import { openDeployment } from "../../../src/store/deployments/deployments.js";
import { onEither, world } from "../../support/database/databases.js";
import { browserMissing, openBrowser } from "../../support/server/browser.js";
import { addPerson } from "../../support/server/people.js";
import { createQueryHosting, queryPlatform } from "../../support/server/query-hosting.js";
import { addEntry } from "../endpoints/add-entry.js";

const databases = onEither();
const schema = "type Swap @entity(immutable: true) { id: Bytes! amount: BigInt! }";
const path = "/api/private/project_1/subgraphs/pools/1.0.0/gn";

describe("The query page of a private endpoint", () => {
  let database: Database;
  let app: FastifyInstance;
  let address: string;
  let member: string;
  let stranger: string;

  beforeEach(async () => {
    database = await databases.fresh();
    await migrate(database);
    // The member belonged to a different project first.
    await createProject(database, { id: "project_0", name: "Other" });
    await addEntry(database, {
      name: "pools",
      version: "1.0.0",
      deployment: "QmA",
      isPublic: false,
      isPrivate: true,
    });
    await openDeployment(database, { deployment: "QmA", network: "mainnet", schema, startBlock: 1 });
    const ann = await addPerson(database, "ann@example.com", { project_0: "Viewer", project_1: "Viewer" });
    const bob = await addPerson(database, "bob@example.com", { project_0: "Owner" });
    const session = await beginSession(database, ann.id, "browser");
    await showProject(database, session.id, "project_1");
    member = session.token;
    stranger = (await beginSession(database, bob.id, "browser")).token;
    const hosting = createQueryHosting();
    const answer = { data: { answers: 1 }, attestable: true };
    hosting.answering.set("QmA", { execute: async () => answer });
    const platform = queryPlatform(database, hosting);
    const pages = { codes: createSignInCodes(world), accounts: createAccounts(world) };
    app = await createApp(platform, [
      endpoints({ ofBrowser: identifyBrowser({}), tabsOf: queryPageTabs }),
      (scope) => addPages(scope, platform, pages),
    ]);
    address = await app.listen({ host: "127.0.0.1", port: 0 });
  });
  afterEach(() => app.close());

  const cookieOf = (token: string): string => `graphloom_session=${token}`;
  const look = (token?: string) =>
    fetch(address + path, {
      headers: { accept: "text/html", ...(token !== undefined && { cookie: cookieOf(token) }) },
      redirect: "manual",
    });
  const post = (token: string, headers: Readonly<Record<string, string>>) =>
    app.inject({
      method: "POST",
      url: path,
      payload: '{"query":"{ answers }"}',
      headers: { cookie: cookieOf(token), "content-type": "application/json", ...headers },
    });

  it("is shown only to signed-in members of the project", async () => {
    const unknown = await look();
    expect([unknown.status, unknown.headers.get("location")]).toEqual([
      303,
      `/sign-in?next=${encodeURIComponent(path)}`,
    ]);
    expect((await look(stranger)).status).toBe(404);
    const page = await look(member);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("swaps(first: 5)");
    await database.query(SQL`update graphloom.versions set has_private_endpoint = false`);
    expect((await look(member)).status).toBe(404);
  });

  it("queries with the session of the browser, which pages of other servers cannot do", async () => {
    const own = { "sec-fetch-site": "same-origin" };
    expect((await post(member, own)).json()).toEqual({ data: { answers: 1 } });
    expect((await post(stranger, own)).statusCode).toBe(404);
    const { host } = new URL(address);
    expect((await post(member, { host, origin: `http://${host}` })).statusCode).toBe(200);
    for (const foreign of [
      { "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
      { "sec-fetch-site": "none" },
      { host, origin: "http://evil.example" },
      {},
      { ...own, "content-type": "text/plain" },
      { ...own, "content-type": "application/x-www-form-urlencoded" },
      { ...own, authorization: "Bearer gl_wrong" },
    ]) {
      expect([foreign, (await post(member, foreign)).statusCode]).toEqual([foreign, 401]);
    }
    await database.query(SQL`delete from graphloom.sessions`);
    expect((await post(member, own)).statusCode).toBe(401);
  });

  describe.skipIf(browserMissing !== undefined)("in a browser", () => {
    const open = async (query = ""): Promise<Page> => {
      const browser = await openBrowser();
      onTestFinished(() => browser.close());
      const page = await browser.newPage();
      await page.context().addCookies([{ name: "graphloom_session", value: member, url: address }]);
      await page.goto(address + path + query);
      return page;
    };
    /** Runs the query until the page shows a text: on a busy machine, the editor may get its query after the first click. */
    const runUntil = (page: Page, text: string): Promise<void> =>
      expect
        .poll(async () => {
          await page.getByRole("button", { name: /^Execute query/ }).click();
          const shown = page.getByText(text).first().waitFor();
          return shown.then(
            () => true,
            () => false,
          );
        })
        .toBe(true);

    it("runs the query in the address, says how long it took and where the answer came from, and links back", async () => {
      const asked = { query: "query ($n: Int) { answers }", variables: '{"n":7}' };
      const page = await open(`?${String(new URLSearchParams(asked))}`);
      const sent: string[] = [];
      page.on("request", (request) => sent.push(request.postData() ?? ""));
      await runUntil(page, '"answers"');
      expect(sent.find((body) => body.includes("answers"))).toContain('"variables":{"n":7}');
      expect(await page.locator("output").textContent()).toMatch(/^\d+ ms, from the database$/);
      await page.getByRole("button", { name: "Copy link" }).waitFor();
      expect(await page.getByRole("link", { name: "Query" }).getAttribute("aria-current")).toBe("page");
      const box = async () => (await page.locator(".result-window").boundingBox()) ?? { width: 0 };
      await page.setViewportSize({ width: 390, height: 800 });
      expect((await box()).width).toBeGreaterThan(250);
      if (process.env.GRAPHLOOM_SHOTS) {
        await page.screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/query-small.png` });
      }
      await page.getByRole("link", { name: "pools/1.0.0" }).click();
      await page.getByRole("heading", { name: "pools/1.0.0" }).waitFor();
    });

    it("says that an answer came from the cache, and keeps the query in the page's address for sharing", async () => {
      await database.query(SQL`update graphloom.deployments set head_number = 7, head_hash = '0xaa'`);
      const page = await open(`?query=${encodeURIComponent("{ answers }")}`);
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await runUntil(page, '"answers"');
      await page.getByRole("button", { name: /^Execute query/ }).click();
      await page.getByText(/^\d+ ms, from the cache$/).waitFor();
      const editor = page.locator(".graphiql-query-editor .monaco-editor").first();
      await editor.click();
      await page.keyboard.press("Control+A");
      await page.keyboard.insertText("query Shared { answers }");
      await page.waitForURL(/query=query\+Shared/);
      await page.getByRole("button", { name: "Copy link" }).click();
      const link = String(await page.evaluate("navigator.clipboard.readText()"));
      expect(link).toBe(page.url());
      const other = await open(new URL(link).search);
      await runUntil(other, '"answers"');
      expect(await other.locator(".graphiql-query-editor .view-lines").first().innerText()).toContain(
        "Shared",
      );
    });

    it("reports that subscriptions are not supported", async () => {
      const page = await open(`?query=${encodeURIComponent("subscription { swaps { id } }")}`);
      await runUntil(page, "Subscriptions are not supported");
    });
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
