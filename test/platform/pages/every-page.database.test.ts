import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openOwnService } from "../../../src/cli/serve/open-own-service.js";
import { countEdgeRequests } from "../../../src/platform/edge/edge-endpoints.js";
import { createAccounts } from "../../../src/platform/people/accounts.js";
import { invite } from "../../../src/platform/people/invitations.js";
import { createPasswords } from "../../../src/platform/people/passwords/passwords.js";
import { beginSession } from "../../../src/platform/people/sign-in/sessions.js";
import { addPipeline, addPipelineVersion } from "../../../src/platform/pipelines/pipeline-rows.js";
import { addSnapshot } from "../../../src/platform/pipelines/snapshot-rows.js";
import { addTask, endTask } from "../../../src/platform/pipelines/tasks/task-rows.js";
import { Nodes } from "../../../src/rpc/nodes.js";
import { SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { findDeployment } from "../../../src/store/deployments/deployments.js";
import { onEither, world } from "../../support/database/databases.js";
import { axeFindings, rulesIn } from "../../support/server/axe.js";
import { browserMissing, openBrowser, type TestBrowser } from "../../support/server/browser.js";
import { addPerson } from "../../support/server/people.js";
import { until } from "../../support/until.js";
import { deliveryId, startPages } from "./harness.js";

const databases = onEither();

const subgraph = "/dashboard/:name/:version";
const own = "/dashboard/pools/1.0.0";
const task = "00000000-0000-4000-8000-000000000008";
const authorization = new URLSearchParams({
  client_id: "graphloom-cli",
  redirect_uri: "http://127.0.0.1:4711/callback",
  state: "state",
  code_challenge: "a".repeat(43),
  code_challenge_method: "S256",
});

/** How a page is opened. */
interface Shown {
  /** Addresses of the page, with and without content where both exist. */
  readonly at: readonly string[];
  /** Whether it is for people who are not signed in. */
  readonly isOpen?: boolean;
  /** The status of an error page. */
  readonly refusal?: number;
  /** The status of what is tried on it without a key. */
  readonly keyless?: number;
}

/** Every route that answers with a page. A new one has to come in here. */
const pagesOf: Readonly<Record<string, Shown>> = {
  "/": { at: ["/", "/?q=nothing"] },
  "/*": { at: ["/nothing", "/dashboard/none/1.0.0"], refusal: 404 },
  "/api/errors": { at: ["/api/errors"] },
  "/api/errors/:slug": { at: ["/api/errors/conflict"] },
  "/docs": { at: ["/docs"] },
  "/docs/:name": { at: ["/docs/using"] },
  "/sign-in": { at: ["/sign-in"], isOpen: true },
  "/password": { at: ["/password"], isOpen: true },
  "/password/:token": { at: ["/password/token"], isOpen: true },
  "/invitations/:token": { at: ["/invitations/:invitation"], isOpen: true },
  "/authorize": { at: [`/authorize?${authorization}`] },
  [subgraph]: { at: [own, `${own}?range=7d`, "/dashboard/pools/prod"] },
  [`${subgraph}/data`]: { at: [`${own}/data`] },
  [`${subgraph}/data/:entity`]: {
    at: [
      `${own}/data/swap?size=25`,
      `${own}/data/swap?field=pool&by=is&value=pool`,
      `${own}/data/swap?sort=nothing`,
    ],
  },
  [`${subgraph}/data/:entity/entity`]: { at: [`${own}/data/pool_day/entity?id=0x01`] },
  [`${subgraph}/log`]: { at: [`${own}/log`, `${own}/log?follow=off`] },
  [`${subgraph}/webhooks`]: { at: [`${own}/webhooks`, "/dashboard/pools/prod/webhooks"] },
  [`${subgraph}/webhooks/:webhook`]: { at: [`${own}/webhooks/swaps`] },
  [`${subgraph}/webhooks/:webhook/deliveries/:id`]: {
    at: [`${own}/webhooks/swaps/deliveries/${deliveryId}`],
  },
  [`${subgraph}/map`]: { at: [`${own}/map`] },
  [`${subgraph}/settings`]: { at: [`${own}/settings`] },
  "/pipelines": { at: ["/pipelines"] },
  "/pipelines/:name": { at: ["/pipelines/planted"] },
  "/pipelines/:name/versions/:version": { at: ["/pipelines/planted/versions/1"] },
  "/pipelines/:name/log": { at: ["/pipelines/planted/log"] },
  "/pipelines/:name/rows": { at: ["/pipelines/planted/rows"] },
  "/pipelines/:name/parked": { at: ["/pipelines/planted/parked"], refusal: 422 },
  "/pipelines/:name/snapshots": { at: ["/pipelines/planted/snapshots"] },
  "/pipelines/:name/tasks/:id": { at: [`/pipelines/planted/tasks/${task}`] },
  "/pipelines/:name/edit": { at: ["/pipelines/planted/edit"] },
  "/new-pipeline": { at: ["/new-pipeline"] },
  "/data": { at: ["/data"] },
  "/nodes": { at: ["/nodes"] },
  "/secrets": { at: ["/secrets"] },
  "/secrets/:secret": { at: ["/secrets/POOLS_DB"] },
  "/new-secret": { at: ["/new-secret", "/new-secret?type=jdbc"] },
  "/endpoints": { at: ["/endpoints"] },
  "/endpoints/:endpoint": { at: ["/endpoints/web"] },
  "/keys": { at: ["/keys"] },
  "/members": { at: ["/members"] },
  "/projects": { at: ["/projects"] },
  "/audit": { at: ["/audit", "/audit?kind=key"] },
  "/account": { at: ["/account"] },
};

/** Pages of other makers: the query page is GraphiQL, and the explorers are Swagger UI. */
const madeElsewhere: Readonly<Record<string, Shown>> = {
  "/api/public/:project/subgraphs/:name/:version/gn": {
    at: ["/api/public/project_1/subgraphs/pools/1.0.0/gn"],
  },
  "/api/private/:project/subgraphs/:name/:version/gn": {
    at: ["/api/private/project_1/subgraphs/pools/1.0.0/gn"],
  },
  "/subgraphs/*": { at: ["/subgraphs/name/pools/1.0.0/graphql"] },
  "/index-node/graphql": { at: ["/index-node/graphql"] },
  "/api/v1/docs": { at: ["/api/v1/docs"], keyless: 401 },
  "/edge/data/docs": { at: ["/edge/data/docs"], keyless: 401 },
};

/** Routes of the same server that answer with something else: files, data, or the address of a page. */
const pageless: readonly RegExp[] = [
  /^\/(?:assets|graphiql)\//,
  /^\/(?:api\/v1|edge\/data)\/docs\/(?:static\/|json$|yaml$)/,
  /^\/api\/v1\/(?!docs)/,
  /^\/edge\/data\/\*$/,
  /^\/(?:health|ready)$/,
  /\.(?:svg|csv|json|md|txt)$/,
  /^\/pipelines\/:name\/rows\/events$/,
  /^\/dashboard\/:name\/:version\/(?:query|entities\/:entity)$/,
  /^\/sign-in\/oidc/,
];

/** A page in a browser of its own, with what it asks for and what goes wrong on it. */
interface Noted {
  readonly page: Page;
  readonly asked: string[];
  readonly complaints: string[];
}

/** What people use on a page. A field for a file or a date is one of them. */
const usable = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";

/** An OpenAPI description. */
interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** A description with the first operation of each method, the first five schemas, and the schemas that these refer to. */
function shortDescription(whole: Description): Description {
  const known = new Set<string>();
  const paths = Object.entries(whole.paths).flatMap(([path, operations]) => {
    const kept = Object.entries(operations).filter(([method]) => !known.has(method));
    for (const [method] of kept) known.add(method);
    return kept.length === 0 ? [] : [[path, Object.fromEntries(kept)] as const];
  });
  const { schemas } = whole.components;
  const names = new Set(Object.keys(schemas).slice(0, 5));
  const addFrom = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/#\/components\/schemas\/([^"]+)/g))
      names.add(name);
  };
  addFrom(paths);
  // A set goes on to what is added to it meanwhile.
  for (const name of names) addFrom(schemas[name] ?? null);
  return {
    ...whole,
    paths: Object.fromEntries(paths),
    components: {
      ...whole.components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => names.has(name))),
    },
  };
}

/** Lets the waits between two updates of a page end after a tenth of their time. */
const impatientWorld = {
  ...world,
  timeout: (wait: number) => world.timeout(wait <= 5_000 ? wait / 10 : wait),
};

describe("The pages of a whole server", () => {
  let pages: Awaited<ReturnType<typeof startPages>>;
  let session: string;
  let invitation: string;
  let browser: TestBrowser;
  /** A page of somebody who is signed in, and one of somebody who is not. */
  let member: Noted;
  let stranger: Noted;

  beforeAll(async () => {
    const database = await databases.fresh();
    const dataService = openOwnService(
      database,
      new Uint8Array(32),
      new Nodes(new Map(), world),
      new AbortController().signal,
    );
    const provider = {
      address: "https://provider.example",
      checks: { state: "s", nonce: "n", verifier: "v" },
    };
    pages = await startPages(database, {
      isWhole: true,
      dataService,
      world: impatientWorld,
      nodes: new Map([["mainnet", ["https://a-long-name-of-a-node.example.com:8545"]]]),
      manual: [
        {
          name: "using",
          title: "Using it",
          part: "Start",
          markdown: "# Using it\n\n## So\n\n[Contents](using.md#so)\n",
        },
      ],
      accounts: createAccounts(world, {
        passwords: createPasswords(2 ** 4),
        mail: { send: async () => undefined },
        oidc: {
          name: "A provider",
          begin: async () => provider,
          finish: async () => {
            throw new Error("nobody comes back from the provider");
          },
        },
      }),
    });
    await plant();
    if (browserMissing !== undefined) return;
    browser = await openBrowser();
    member = await noted();
    stranger = await noted();
    const cookie = { name: "graphloom_session", value: session, url: pages.address };
    await member.page.context().addCookies([cookie]);
  });
  afterAll(async () => {
    await browser?.close();
    await pages.platform.database.run(SQL`drop schema if exists graphloom_data_ethereum cascade`);
    await pages.stop();
  });

  async function noted(): Promise<Noted> {
    const context = await browser.newContext({ timezoneId: "America/New_York" });
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on("request", (request) => asked.push(request.url()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    await context.exposeFunction("violated", (what: string) => complaints.push(`policy: ${what}`));
    await context.addInitScript(
      `addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
        violated(violatedDirective + " " + blockedURI))`,
    );
    return { page, asked, complaints };
  }

  async function plant(): Promise<void> {
    const { database } = pages.platform;
    const ann = await addPerson(database, "ann@example.com", { project_1: "Owner" });
    await addPerson(database, "bob@example.com", { project_1: "Viewer" });
    session = (await beginSession(database, ann.id, "browser")).token;
    const open = { project: "project_1", email: "carl@example.com", role: "Viewer" } as const;
    invitation = (await invite(database, open)).token;
    await database.query(SQL`update graphloom.versions set has_private_endpoint = true`);
    // Rows that are all alike make axe and the Tab key slow: one page of them and a link to the next is enough.
    const { namespace = "" } = (await findDeployment(database, "QmPools")) ?? {};
    await database.query(SQL`delete from ${quoteName(namespace)}.swap where vid > 26`);
    await database.query(SQL`update ${quoteName(namespace)}.swap set pool = 'other' where vid > 4`);
    await database.query(SQL`delete from ${quoteName(namespace)}.pool_day where lower(block_range) < 37`);
    await database.run(
      SQL`insert into graphloom.secrets (project, name, type, sealed_value)
        values ('project_1', 'POOLS_DB', 'jdbc', '\\x00');
      insert into graphloom.edge_endpoints (project, name, product, key_hash, sealed_key, allowed_domains)
        values ('project_1', 'web', 'rpc', 'hash', '\\x00', array['a-long-name-of-a-page.example.com'])`,
    );
    const named = { project: "project_1", name: "planted" };
    await addPipeline(database, { ...named, form: "pipeline", isJob: false, status: "INACTIVE" });
    const node = { columns: [], key: [] };
    await addPipelineVersion(database, named, {
      definition: "name: planted\n",
      variables: {},
      abis: [],
      size: "s",
      description: null,
      document: { name: "planted" },
      topology: [
        { ...node, name: "transfers", kind: "source", type: "dataset", reads: [] },
        { ...node, name: "dropped", kind: "sink", type: "blackhole", reads: ["transfers"] },
      ],
    });
    const content = JSON.stringify({ sinks: { dropped: { sources: { transfers: { next: 100 } } } } });
    await addSnapshot(database, named, { version: 1, cause: "pause", content });
    const asked = { kind: "replay", sink: "dropped", range: { from: 7, to: 9 }, sends: false } as const;
    await addTask(database, named, task, asked, 60_000);
    await endTask(database, named, task, { result: { kind: "replay", rows: 12, overtaken: 0, sent: false } });
  }

  it("are all in these lists", () => {
    const got = pages.app.guardedRoutes.filter(({ method }) => method === "GET").map(({ url }) => url);
    const known = [...Object.keys(pagesOf), ...Object.keys(madeElsewhere)];
    const other = got.filter((url) => !pageless.some((pattern) => pattern.test(url)));
    expect([...new Set(other)].sort()).toEqual(known.sort());
    // Nothing that says of itself that it is a page counts as something else.
    const hidden = pages.app.guardedRoutes.filter(
      ({ method, url, isPage }) => method === "GET" && isPage && !known.includes(url),
    );
    expect(hidden.map(({ url }) => url).sort()).toEqual([
      `${subgraph}/entities/:entity`,
      `${subgraph}/query`,
      "/sign-in/oidc",
      "/sign-in/oidc/callback",
    ]);
  });

  describe.skipIf(browserMissing !== undefined)("in a real browser", () => {
    /** Opens an address in each color scheme, and reports what the page asked of others and complained of. */
    async function look(
      { at, isOpen = false, refusal, keyless = refusal }: Shown,
      address: string,
      faults: (page: Page) => Promise<readonly string[]>,
    ): Promise<readonly string[]> {
      expect(at).toContain(address);
      const { page, asked, complaints } = isOpen ? stranger : member;
      asked.splice(0);
      complaints.splice(0);
      await page.setViewportSize({ width: 1280, height: 800 });
      const answer = await page.goto(pages.address + address.replace(":invitation", invitation));
      expect([address, answer?.status()]).toEqual([address, refusal ?? 200]);
      const found = await faults(page);
      expect(asked.length).toBeGreaterThan(2);
      const refused = `the server responded with a status of ${keyless} `;
      return [
        ...found,
        ...asked.filter((url) => !url.startsWith(pages.address)).map((url) => `asked ${url}`),
        ...complaints.filter((text) => !text.includes(refused)),
      ];
    }

    /** Where a page is wider than the window. */
    async function sideways(page: Page): Promise<readonly string[]> {
      const faults: string[] = [];
      // 200 % of 640 pixels leaves as much room as 320, and 200 % of 1280 as much as 640.
      for (const width of [640, 320]) {
        await page.setViewportSize({ width, height: 740 });
        const excess = () => page.evaluate("document.documentElement.scrollWidth - innerWidth");
        // Scripts of others lay out a page again some time after the window has changed.
        for (let look = 0; look < 25 && (await excess()) !== 0; look += 1) await page.waitForTimeout(200);
        const wider = await excess();
        if (wider !== 0) faults.push(`scrolls sideways by ${wider} pixels at ${width}`);
      }
      return faults;
    }

    /** What is wrong with a page as it is shown, with all of its sections opened. */
    async function faultsOf(page: Page): Promise<readonly string[]> {
      const faults: string[] = [];
      await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true");
      faults.push(...(await sideways(page)));
      const grounds = new Set();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        grounds.add(await page.evaluate("getComputedStyle(document.documentElement).backgroundColor"));
        // The schemes differ in their colors only.
        const rules = colorScheme === "dark" ? ["color-contrast"] : undefined;
        faults.push(...(await axeFindings(page, rules)).map((finding) => `${colorScheme}: ${finding}`));
      }
      const times =
        "[...document.querySelectorAll('[data-zone], time[data-moment]')].map((one) => one.textContent)";
      const inUtc = ((await page.evaluate(times)) as string[]).filter((text) => text.includes("UTC"));
      faults.push(...inUtc.map((text) => `not in the reader's time zone: ${text}`));
      if (grounds.size < 2) faults.push("looks alike in light and dark");
      return faults;
    }

    /** What the Tab key does not lead to, or leads to without showing it, while the page renews itself. */
    async function unreachable(page: Page): Promise<readonly string[]> {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.evaluate(`
        document.activeElement?.blur();
        window.reached = new Set();
        window.unseen = new Set();
        const lookOf = (one) => [one, ...one.querySelectorAll("rect")].map((part) => {
          const { outlineStyle, boxShadow, strokeWidth } = getComputedStyle(part);
          return [outlineStyle, boxShadow, strokeWidth];
        }).join();
        const looks = new Map([...document.querySelectorAll(${JSON.stringify(usable)})].map((one) => [one, lookOf(one)]));
        addEventListener("focusin", ({ target }) => {
          reached.add(target);
          if (lookOf(target) === looks.get(target)) unseen.add(target.outerHTML.slice(0, 200));
        });
        window.left = () => [...document.querySelectorAll(${JSON.stringify(usable)})]
          .filter((one) => !one.disabled && !reached.has(one) && one.checkVisibility({ visibilityProperty: true }));
        0`);
      const missing = () =>
        page.evaluate("left().map((one) => one.outerHTML.slice(0, 200))") as Promise<string[]>;
      const isLive = await page.evaluate("document.querySelector('main').dataset.live !== undefined");
      const all = (await missing()).length;
      expect(all).toBeGreaterThan(3);
      // A field for a date takes several steps.
      for (let step = 0; step < 3 * all + 10 && (await missing()).length > 0; step += 10) {
        if (isLive) await renewed(page);
        for (let press = 0; press < 10; press += 1) await page.keyboard.press("Tab");
      }
      return [...(await missing()), ...((await page.evaluate("[...unseen]")) as string[])];
    }

    let changes = 0;

    /** Changes something on every page, and waits until an open one shows it. */
    async function renewed(page: Page): Promise<void> {
      const tag = "document.querySelector('main').dataset.live";
      const before = await page.evaluate(tag);
      changes += 1;
      const { platform, statuses } = pages;
      const status = statuses.get("QmPools");
      if (!status) throw new Error("the status is there");
      statuses.set("QmPools", { ...status, isSynced: !status.isSynced, chainHeadBlock: 110 + changes });
      const endpoint = { project: "project_1", name: "web" };
      await countEdgeRequests(platform.database, endpoint, { time: world.now(), requests: 1, errors: 0 });
      await platform.database.query(SQL`update graphloom.pipelines set error = $1::text`, [String(changes)]);
      // The policy forbids what a page would wait with.
      await until(async () => (await page.evaluate(tag)) !== before);
    }

    it.each(
      Object.entries(pagesOf),
    )("%s is accessible, fits a telephone, works by keyboard, and loads nothing from other servers", async (_, shown) => {
      for (const address of shown.at) {
        const faults = await look(shown, address, async (page) => [
          ...(await faultsOf(page)),
          ...(await unreachable(page)),
        ]);
        expect([address, faults]).toEqual([address, []]);
      }
    });

    /** Removes operations and schemas of an explorer that look alike, but for two of each method and five schemas. */
    const shorten = (page: Page): Promise<unknown> =>
      page.evaluate(`for (const [alike, kept] of [
        ...["get", "post", "put", "patch", "delete"].map((method) => [".opblock-" + method, 2]),
        [".models article", 5],
      ]) [...document.querySelectorAll(alike)].slice(kept).forEach((one) => one.remove())`);

    /** Loads an explorer again with one operation of each method and a few schemas, since opened ones take long. */
    async function reopen(page: Page): Promise<void> {
      await page.route("**/docs/json", async (route) => {
        const answer = await route.fetch();
        await route.fulfill({ response: answer, json: shortDescription(await answer.json()) });
      });
      await page.reload();
      await page.locator(".opblock").first().waitFor();
      await page.unroute("**/docs/json");
    }

    /** The rules whose findings depend on the width of the window. */
    const rulesOfWidth = ["scrollable-region-focusable", "target-size"];

    /** What opens on an explorer, one after the other. */
    const screensOfExplorer: readonly ((page: Page) => Promise<unknown>)[] = [
      (page) => page.locator(".opblock").first().waitFor(),
      async (page) => {
        await reopen(page);
        const operations = page.locator(".opblock");
        // One without a body and one with a body. The colors of the other methods were on the first screen.
        const methods = ["get", "post"].map((method) => `.opblock-${method}`);
        for (const one of methods.map((method) => page.locator(method).first()))
          if ((await one.count()) > 0) await one.locator(".opblock-summary-control").click();
        await operations.first().locator(".execute").waitFor();
        for (const field of await operations.first().locator("tr:has(.required) input").all())
          await field.fill("ethereum");
        // One operation is tried, and the others say which fields they lack.
        for (const button of await page.locator(".execute").all()) await button.click();
        await operations.first().locator(".live-responses-table pre").first().waitFor();
        await page.evaluate(
          "[...document.querySelectorAll('.models .json-schema-2020-12-expand-deep-button')].slice(0, 3).map((one) => one.click())",
        );
        await page.locator(".models .json-schema-2020-12-property").first().waitFor();
      },
      async (page) => {
        await reopen(page);
        await page.locator(".auth-wrapper .authorize").click();
        await page.locator(".modal-ux input").first().waitFor();
      },
    ];

    /** What opens on a query page, one after the other. */
    const screensOfQueries: readonly ((page: Page) => Promise<unknown>)[] = [
      async (page) => {
        await page.locator(".graphiql-query-editor .view-line").first().waitFor();
        await page.locator(".graphiql-query-editor .monaco-editor").first().click();
        await page.keyboard.press("Control+A");
        await page.keyboard.insertText('# A comment\nquery Named { none(text: "text", number: 7) { id } }');
        await page.getByRole("button", { name: /^Execute query/ }).click();
        await page.locator(".result-window .view-line").getByText('"errors"').waitFor();
      },
      async (page) => {
        await page.getByRole("button", { name: "Show Documentation Explorer" }).click();
        await page.locator("a.graphiql-doc-explorer-type-name").first().click();
        await page.locator("a.graphiql-doc-explorer-field-name").first().waitFor();
      },
      async (page) => {
        await page.getByRole("button", { name: "Show GraphiQL Explorer" }).click();
        await page.locator(".graphiql-explorer-root form select").first().waitFor();
      },
      async (page) => {
        await page.getByRole("button", { name: "Open settings dialog" }).click();
        await page.getByText("Adjust how the interface appears").waitFor();
      },
      async (page) => {
        await page.keyboard.press("Escape");
        await page.locator(".graphiql-query-editor .monaco-editor").first().click();
        await page.keyboard.press("F1");
        await page.locator(".quick-input-list .monaco-list-row").first().waitFor();
      },
    ];

    /** Lists of screens that were all opened at one address. */
    const wasOpened = new Set<unknown>();

    /** The editor's list of commands has roles and names of its own, which change as it is used. Its colors are ours. */
    const isOfEditor = (finding: string): boolean =>
      !finding.startsWith("color-contrast") && /^\S+ <div class="monaco-(?:list-row|progress-)/.test(finding);

    /** The ground of a page, its text and its type. */
    const lookOf = (page: Page): Promise<string> =>
      page.evaluate(`(({ backgroundColor, color, fontFamily, fontSize }) =>
        [backgroundColor, color, fontFamily, fontSize].join("; "))(getComputedStyle(document.documentElement))`);

    it.each(Object.entries(madeElsewhere))(
      "%s is accessible with all sections open, fits a telephone, looks like the other pages, and loads only from this server",
      { timeout: 360_000 },
      async (_, shown) => {
        const own: Record<string, string> = {};
        await member.page.goto(`${pages.address}/docs`);
        for (const colorScheme of ["light", "dark"] as const) {
          await member.page.emulateMedia({ colorScheme });
          own[colorScheme] = await lookOf(member.page);
        }
        expect(own.light).not.toBe(own.dark);
        // GraphiQL remembers what was open.
        await member.page.evaluate("localStorage.clear()");
        for (const address of shown.at) {
          const faults = await look(shown, address, async (page) => {
            const faults: string[] = [];
            await page.locator(".graphiql-container, .swagger-ui .info").first().waitFor();
            const isExplorer = (await page.locator(".swagger-ui").count()) > 0;
            const screens = isExplorer ? screensOfExplorer : screensOfQueries;
            // All addresses have the same page, so its screens are opened at the first one.
            const opened = wasOpened.has(screens) ? screens.slice(0, 1) : screens;
            wasOpened.add(screens);
            for (const [index, open] of opened.entries()) {
              await page.setViewportSize({ width: 1280, height: 800 });
              await open(page);
              const found = [...(await sideways(page))];
              await shorten(page);
              // Each scheme at one width: colors do not depend on it.
              for (const [width, colorScheme] of [
                [1280, "light"],
                [320, "dark"],
              ] as const) {
                await page.setViewportSize({ width, height: 740 });
                await page.emulateMedia({ colorScheme });
                await page.waitForTimeout(500);
                const shown = await lookOf(page);
                if (shown !== own[colorScheme]) found.push(`${colorScheme}: looks different: ${shown}`);
                const rules =
                  colorScheme === "dark" ? [...(rulesIn("dark") ?? []), ...rulesOfWidth] : undefined;
                const barriers = (await axeFindings(page, rules)).filter((finding) => !isOfEditor(finding));
                found.push(...barriers.map((finding) => `${colorScheme} at ${width}: ${finding}`));
              }
              faults.push(...found.map((finding) => `screen ${index + 1}, ${finding}`));
            }
            await page.emulateMedia({ media: "print" });
            if ((await lookOf(page)) !== own.light) faults.push("is not light on paper");
            await page.emulateMedia({ media: null });
            return faults;
          });
          expect([address, faults]).toEqual([address, []]);
        }
      },
    );
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
