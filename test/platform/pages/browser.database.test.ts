import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { NodeCounts } from "../../../src/platform/figures/node-counts.js";
import { addMember } from "../../../src/platform/people/members.js";
import { addUser } from "../../../src/platform/people/users.js";
import { addVersion, renewCarried } from "../../../src/platform/subgraphs/versions.js";
import { SQL } from "../../../src/store/database/database.js";
import { quoteName } from "../../../src/store/database/quote.js";
import { findDeployment, openDeployment } from "../../../src/store/deployments/deployments.js";
import { printMapFacts } from "../../../src/subgraph/map-facts.js";
import { zipBuild } from "../../../src/subgraph/zip-build.js";
import { sampleBuild } from "../../subgraph/sample-build.js";
import { onEither, world as realWorld } from "../../support/database/databases.js";
import { axeFindings, rulesIn } from "../../support/server/axe.js";
import { browserMissing, openBrowser, type TestBrowser } from "../../support/server/browser.js";
import { deliveryId, startPages } from "./harness.js";

const databases = onEither();

describe.skipIf(browserMissing !== undefined)("The pages in a real browser", () => {
  let browser: TestBrowser;
  let pages: Awaited<ReturnType<typeof startPages>>;
  let page: Page;
  let complaints: string[];
  const nodeCounts = new NodeCounts(Date.now);
  /** The time of the server, where a test stops its clock. */
  let stopped: number | undefined;
  const world = { ...realWorld, now: () => stopped ?? realWorld.now() };

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    const nodes = new Map([["mainnet", ["https://a-long-name-of-a-node.example.com:8545"]]]);
    stopped = undefined;
    pages = await startPages(await databases.fresh(), { world, nodes, nodeCounts });
    page = await browser.newPage();
    complaints = [];
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
    page.on("request", (request) => {
      if (!request.url().startsWith(pages.address)) complaints.push(`asked ${request.url()}`);
    });
  });
  afterEach(async () => {
    await page.close();
    await pages.stop();
  });

  const signInAddress = () => `${pages.address}/sign-in?code=${pages.codes.issue("owner")}`;
  const signIn = () => page.goto(signInAddress());
  /** Signs in without showing the page that follows. */
  const enter = (shown = page) => shown.request.get(signInAddress());

  it("can be used entirely by keyboard", async () => {
    await page.goto(pages.address);
    await page.locator("input:focus").waitFor();
    await page.keyboard.type("gl_owner");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Subgraphs" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.locator("main:focus").waitFor();
    const focused = "document.activeElement.textContent";
    do await page.keyboard.press("Tab");
    while ((await page.evaluate(focused)) !== "pools/1.0.0");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "pools/1.0.0" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).press("Enter");
    await page.getByText("paused").first().waitFor();
    await page
      .getByRole("navigation", { name: "Subgraph" })
      .getByRole("link", { name: "Data" })
      .press("Enter");
    await page.getByRole("link", { name: "Swap", exact: true }).press("Enter");
    const newest = page.getByRole("cell", { name: "swap-119", exact: true });
    await newest.waitFor();
    // The newest row is in the first screen.
    const place = await newest.boundingBox();
    expect((place?.y ?? Number.NaN) + (place?.height ?? 0)).toBeLessThan(page.viewportSize()?.height ?? 0);
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copy = page.getByRole("button", { name: "Copy these rows as CSV" });
    await copy.press("Enter");
    await copy.filter({ hasText: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toMatch(/^id,pool,amount\r?\nswap-119,/);
    expect(complaints).toEqual([]);
  });

  it("make an endpoint and show its key by keyboard, after a refused attempt", async () => {
    await pages.platform.database.query(
      SQL`insert into graphloom.edge_endpoints (project, name, product, key_hash, sealed_key)
        values ('project_1', 'web', 'rpc', 'hash', '\\x00')`,
    );
    await enter();
    await page.goto(`${pages.address}/endpoints`);
    await page.locator("#new-endpoint summary").press("Enter");
    await page.getByLabel("Name").fill("web");
    await page.getByLabel("Web pages that may use it").fill("example.com");
    await page.getByRole("button", { name: "Create endpoint" }).press("Enter");
    await page.getByRole("alert").filter({ hasText: "already exists" }).waitFor();
    expect(await page.getByLabel("Web pages that may use it").inputValue()).toBe("example.com");
    // The browser itself reports the status.
    expect(complaints.splice(0)).toEqual([expect.stringContaining("409")]);
    await page.getByLabel("Name").fill("web 2");
    await page.keyboard.press("Enter");
    await page.locator("#endpoint-key").waitFor();
    const key = await page.locator("#endpoint-key").textContent();
    await page.reload();
    await page.getByRole("button", { name: "Show the key" }).waitFor();
    expect(await page.locator("#endpoint-key").count()).toBe(0);
    await page.getByRole("button", { name: "Show the key" }).press("Enter");
    await page.locator("#endpoint-key").waitFor();
    expect(await page.locator("#endpoint-key").textContent()).toBe(key);
    await page.goBack();
    expect(await page.locator("#endpoint-key").count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it("show progress as it happens, without leaving the page", async () => {
    await signIn();
    await page.getByRole("cell", { name: "catching up" }).waitFor();
    const status = pages.statuses.get("QmPools");
    if (!status) throw new Error("the status is there");
    pages.statuses.set("QmPools", { ...status, headBlock: 110, isSynced: true });
    await page.getByRole("cell", { name: "synced" }).waitFor();
    await page.getByRole("link", { name: "1 synced" }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("show the endpoint and the failing receiver in the first screen, and copy the address", async () => {
    await pages.platform.database.query(
      SQL`update graphloom.webhooks set rests_until = now() + interval '1 hour', failures = 12`,
    );
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.setViewportSize({ width: 1280, height: 720 });
    await signIn();
    await page.getByRole("link", { name: "pools/1.0.0" }).click();
    const address = `${pages.address}/api/public/project_1/subgraphs/pools/1.0.0/gn`;
    for (const answer of [
      page.getByRole("link", { name: address }),
      page.getByText("The receiver of swaps is down."),
      page.getByRole("link", { name: "Webhooks 1 down" }),
    ]) {
      const shown = await answer.boundingBox();
      expect((shown?.y ?? 720) + (shown?.height ?? 0)).toBeLessThan(720);
    }
    const copied = () => page.evaluate("navigator.clipboard.readText()");
    await page.getByRole("button", { name: "Copy the public address" }).click();
    await page.getByText("Copied").first().waitFor();
    expect(await copied()).toBe(address);
    await page.getByText("curl", { exact: true }).click();
    await page.getByRole("button", { name: "Copy the example for curl" }).click();
    await expect.poll(copied).toContain(`curl ${address} \\\n`);
    expect(complaints).toEqual([]);
  });

  it("have no accessibility errors on the tabs of a failed subgraph, in light and dark", async () => {
    const error = {
      message: "division by zero",
      block: 61,
      handler: "handleSwap",
      failedAt: 1_700_000_000_000,
    };
    const status = pages.statuses.get("QmPools");
    if (!status) throw new Error("the status is there");
    pages.statuses.set("QmPools", { ...status, health: "failed", fatalError: error });
    await pages.platform.database.query(
      SQL`insert into graphloom.webhook_figures (webhook, step, minute, delivered, retried, failed, pending, times)
        select id, 5, floor(extract(epoch from now()) / 300)::integer * 5, 37, 2, 1, 8, array[0, 0, 40]
          from graphloom.webhooks where name = 'swaps'`,
    );
    await enter();
    for (const path of [
      "",
      "/log",
      "/webhooks",
      "/webhooks/swaps",
      `/webhooks/swaps/deliveries/${deliveryId}`,
      "/settings",
    ]) {
      await page.goto(`${pages.address}/dashboard/pools/1.0.0${path}`);
      if (path === "/webhooks/swaps") {
        const title = /^Attempts per minute in the last 24 hours: 3 of 40 attempts failed/;
        await page.getByRole("img", { name: title }).waitFor();
        await page.getByText("Figures as a table").click();
        await page.getByRole("columnheader", { name: "95 % within" }).waitFor();
      }
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        expect([path, colorScheme, await axeFindings(page, rulesIn(colorScheme))]).toEqual([
          path,
          colorScheme,
          [],
        ]);
      }
      await page.setViewportSize({ width: 320, height: 640 });
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([path, wider]).toEqual([path, 0]);
      if (process.env.GRAPHLOOM_SHOTS) {
        await page.setViewportSize({ width: 1200, height: 800 });
        const shot = `${process.env.GRAPHLOOM_SHOTS}/failed${path.replaceAll("/", "-")}.png`;
        await page.screenshot({ path: shot, fullPage: true });
      }
    }
    expect(complaints).toEqual([]);
  });

  it("show the log in the reader's time zone, also lines that come later", async () => {
    const abroad = await browser.newPage({ timezoneId: "America/New_York" });
    await enter(abroad);
    await abroad.goto(`${pages.address}/dashboard/pools/1.0.0/log`);
    await abroad.getByRole("columnheader", { name: "Time (America/New_York)" }).waitFor();
    expect(await abroad.locator(".log time").first().textContent()).toBe("2023-11-14 17:13:20");
    pages.lines.unshift({ text: "indexed block 61", timestamp: 1_700_000_001_000, level: "info" });
    await abroad.getByRole("link", { name: "61", exact: true }).waitFor();
    expect(await abroad.locator(".log time").allTextContents()).toEqual([
      "2023-11-14 17:13:21",
      "2023-11-14 17:13:20",
      "2023-11-14 17:13:19",
    ]);
    await abroad.close();
  });

  it("show the times of entities in the reader's time zone, and copy the value itself", async () => {
    const schema = "type Sale @entity(immutable: true) { id: ID! soldAt: BigInt! }";
    const { database } = pages.platform;
    await database.query(SQL`update graphloom.deployments set deployment = 'QmBefore'`);
    await openDeployment(database, { deployment: "QmPools", network: "mainnet", schema, startBlock: 10 });
    const { namespace = "" } = (await findDeployment(database, "QmPools")) ?? {};
    await database.query(SQL`update graphloom.deployments set head_number = 60, head_hash = '0xaa'`);
    await database.query(
      SQL`insert into ${quoteName(namespace)}.sale (vid, id, sold_at, block$) values (1, 'one', 1700000000, 11)`,
    );
    const abroad = await browser.newPage({
      timezoneId: "America/New_York",
      permissions: ["clipboard-read", "clipboard-write"],
    });
    await enter(abroad);
    await abroad.goto(`${pages.address}/dashboard/pools/1.0.0/data/sale`);
    const cell = abroad.getByRole("cell", { name: "2023-11-14 17:13:20" });
    expect(await cell.locator("time").getAttribute("title")).toBe("1700000000");
    await abroad.getByText("Times are in America/New_York.").waitFor();
    await abroad.getByRole("link", { name: "one", exact: true }).click();
    await abroad.getByText("Times are in America/New_York.").waitFor();
    await abroad.getByRole("button", { name: "Copy the value of soldAt" }).click();
    await abroad.getByText("Copied").first().waitFor();
    expect(await abroad.evaluate("navigator.clipboard.readText()")).toBe("1700000000");
    await abroad.close();
  });

  it("show at a glance, among 300 subgraphs, which have failed or are behind and since when, and which node is away", async () => {
    const { database, hosting } = pages.platform;
    await database.query(SQL`insert into graphloom.builds (deployment, bundle, network, engine)
      select name, bundle, network, engine from graphloom.builds, unnest(array['QmFailed', 'QmBehind', 'QmSynced']) name`);
    await database.query(SQL`insert into graphloom.versions (project, name, version, deployment)
      select 'project_1', 'name-' || i, '1.0.0', case i when 299 then 'QmFailed' when 298 then 'QmBehind' else 'QmSynced' end
        from generate_series(1, 300) i`);
    await database.query(SQL`insert into graphloom.versions (project, name, version, deployment, created_at)
      select 'project_1', 'name-298', '0.' || i, 'QmSynced', now() - interval '1 day' from generate_series(1, 3) i`);
    const now = realWorld.now();
    stopped = now;
    const status = { health: "healthy", isSynced: true, nonFatalErrors: [], startBlock: 1 } as const;
    const blocks = { headBlock: 24_000_000, chainHeadBlock: 24_000_000 };
    pages.statuses.set("QmSynced", { ...status, ...blocks });
    const late = { isSynced: false, headBlock: 23_999_660, headTimestamp: now / 1000 - 4_080 };
    pages.statuses.set("QmBehind", { ...status, ...blocks, ...late });
    const fatalError = { message: "division by zero", block: 61, failedAt: now - 42 * 60_000 };
    pages.statuses.set("QmFailed", { ...status, ...blocks, health: "failed", fatalError });
    const state = { kind: "away", since: now - 3 * 60_000, why: "gone" } as const;
    Object.assign(hosting.engines[0] ?? {}, {
      nodes: async () => [{ network: "mainnet", isUp: false, state, head: 24_000_000, headAt: now }],
    });
    await page.setViewportSize({ width: 1440, height: 900 });
    await signIn();
    const onScreen = async (text: RegExp): Promise<void> => {
      const box = await page.getByText(text).first().boundingBox();
      expect([text, box !== null && box.y + box.height <= 900 && box.x + box.width <= 1440]).toEqual([
        text,
        true,
      ]);
    };
    const rows = page.getByRole("row");
    expect(await rows.nth(1).innerText()).toMatch(
      // After midnight with the date of yesterday.
      /name-299.*failed since (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC \(42 min\).*division by zero/s,
    );
    expect(await rows.nth(2).innerText()).toMatch(/name-298.*catching up.*\b340\b.*\b1 h 8 min/s);
    await page.getByText("3 older versions of name-298").click();
    pages.statuses.set("QmBehind", { ...status, ...blocks, ...late, headBlock: 23_999_661 });
    await rows.nth(2).getByText("339").waitFor();
    const older = page.getByRole("listitem").filter({ hasText: "name-298/0." });
    expect(await older.evaluateAll((all) => all.filter((one) => one.checkVisibility()).length)).toBe(3);
    const chain = page.getByRole("listitem").filter({ hasText: "node unavailable" });
    expect(await chain.innerText()).toMatch(/mainnet.*since (\d{4}-\d\d-\d\d )?\d\d:\d\d UTC \(3 min\)/);
    for (const text of [/division by zero/, /1 h 8 min/, /node unavailable/]) await onScreen(text);
    expect(await page.title()).toMatch(/^\(1 failed\) Subgraphs/);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await axeFindings(page, rulesIn(colorScheme))]).toEqual([colorScheme, []]);
    }
    // 200 % of a screen of 640 pixels leaves as much room as 320 pixels.
    await page.setViewportSize({ width: 320, height: 640 });
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    expect(
      await page.evaluate(
        "document.querySelector('.wide').scrollWidth - document.querySelector('.wide').clientWidth",
      ),
    ).toBe(0);
    expect(complaints).toEqual([]);
    if (process.env.GRAPHLOOM_SHOTS) {
      for (const [name, width, height] of [
        ["wide", 1440, 900],
        ["narrow", 390, 844],
      ] as const) {
        await page.setViewportSize({ width, height });
        for (const colorScheme of ["light", "dark"] as const) {
          await page.emulateMedia({ colorScheme });
          await page.screenshot({
            path: `${process.env.GRAPHLOOM_SHOTS}/overview-${name}-${colorScheme}.png`,
          });
        }
      }
    }
  });

  it("move in a map by mouse and keys, highlight paths, find boxes, and keep the view when the figures change", async () => {
    const own = { project: "project_1", name: "pools", version: "1.0.0", deployment: "QmPools" };
    const facts = new Map([
      [
        "PoolCreated(indexed address,indexed address,indexed uint24,int24,address)",
        { entities: ["Pool"], creates: ["Pool"] },
      ],
    ]);
    await renewCarried(pages.platform.database, own, { map: printMapFacts(new Map([["Factory", facts]])) });
    // Counted by any server, long ago.
    const happens = (runs: number): Promise<unknown> =>
      pages.platform.database.query(
        SQL`insert into graphloom.handler_counts
            (deployment, source, handler, type, count, minute, in_minute, in_minute_before)
          select id, 'Factory', 'handlePoolCreated', t.type, t.count, 0, 0, 0
            from graphloom.deployments, (values ('', $1::bigint), ('Pool', $1::bigint + 1)) as t(type, count)
            where deployment = 'QmPools'
          on conflict (deployment, source, handler, type) do update set count = excluded.count`,
        [String(runs)],
      );
    await happens(1_203);
    await page.setViewportSize({ width: 900, height: 600 });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await enter();
    await page.goto(`${pages.address}/dashboard/pools/1.0.0/map`);
    const figure = page.locator("text.figure").first();
    await figure.filter({ hasText: "1,203" }).waitFor();
    const stored = page.locator('text.figure[data-to="entity Pool"]');
    expect(await stored.allTextContents()).toEqual(["1,204"]);
    expect(await page.getByText("how often its entities were stored").innerText()).toContain(
      "Both count since the first block",
    );
    const box = (key: string) => page.locator(`.box[data-node="${key}"]`);
    expect(await box("entity Swap").textContent()).toMatch(/Swap\s*120/);
    const shown = () =>
      page.evaluate(`(() => {
        const area = document.getElementById("map");
        const { width } = area.querySelector("svg").getBoundingClientRect();
        return { width: Math.round(width), left: Math.round(area.scrollLeft), zoom: document.getElementById("map-zoom").textContent };
      })()`) as Promise<{ width: number; left: number; zoom: string }>;
    const opacity = (key: string) =>
      page.evaluate(
        `getComputedStyle(document.querySelector(${JSON.stringify(`.box[data-node="${key}"]`)})).opacity`,
      );

    // The path of a box: all that leads to it, and all that it leads to.
    await box("entity Pool").hover();
    await expect.poll(() => opacity("contract Token")).toBe("0.2");
    const lit = ["entity Pool", "contract Factory"];
    expect(await Promise.all([...lit, "entity Swap"].map(opacity))).toEqual(["1", "1", "0.2"]);
    await box("contract Factory").hover();
    // The factory creates what stores it.
    await expect.poll(() => opacity("entity Swap")).toBe("1");
    await page.mouse.move(5, 5);
    await expect.poll(() => opacity("contract Token")).toBe("1");

    // Zoom by keys, buttons and the wheel with Ctrl. The wheel alone scrolls.
    const before = await shown();
    await page.locator("#map").focus();
    await page.keyboard.press("+");
    expect((await shown()).width).toBe(Math.round(before.width * 1.25));
    await page.getByRole("button", { name: "Zoom out" }).click();
    expect(await shown()).toMatchObject({ width: before.width });
    await page.locator("#map").hover();
    await page.mouse.wheel(0, 100);
    expect(await shown()).toMatchObject({ width: before.width });
    await page.keyboard.down("Control");
    const zoomIn = async () => {
      await page.mouse.wheel(0, -100);
      return (await shown()).zoom;
    };
    await expect.poll(zoomIn).toBe("400 %");
    await page.keyboard.up("Control");

    // Two fingers zoom.
    await page.evaluate(`{
      const area = document.getElementById("map");
      const finger = (identifier, clientX) => new Touch({ identifier, target: area, clientX, clientY: 300 });
      const fingersAt = (...places) => ({ touches: places.map((place, index) => finger(index, place)), cancelable: true });
      area.dispatchEvent(new TouchEvent("touchmove", fingersAt(300, 500)));
      area.dispatchEvent(new TouchEvent("touchmove", fingersAt(350, 450)));
      area.dispatchEvent(new TouchEvent("touchend", fingersAt()));
    }`);
    expect((await shown()).zoom).toBe("200 %");

    // A drag moves, and is no click on the box under it.
    const started = await shown();
    await page.mouse.down();
    await page.mouse.move(300, 350, { steps: 3 });
    await page.mouse.up();
    expect((await shown()).left).not.toBe(started.left);
    expect(new URL(page.url()).hash).toBe("");
    await page.locator("#map").focus();
    const dragged = await shown();
    await page.keyboard.press(dragged.left > 0 ? "ArrowLeft" : "ArrowRight");
    await expect.poll(async () => (await shown()).left).not.toBe(dragged.left);

    // The search, and what a new figure leaves alone.
    await page.getByRole("searchbox", { name: "Find on the map" }).fill("pool");
    const words = page.locator("#map-found");
    await page.keyboard.press("Enter");
    expect(await words.textContent()).toMatch(/^2 of [3-9]$/);
    const said = await words.textContent();
    await page.locator("a:has([data-node='entity Swap'])").focus();
    await page.keyboard.press("Shift+Tab");
    await page.keyboard.press("Tab");
    await expect.poll(() => opacity("contract Factory")).toBe("1");
    await expect.poll(() => opacity("contract Token")).toBe("0.2");
    const scrolled = await shown();
    await happens(1_300);
    await figure.filter({ hasText: "1,300" }).waitFor();
    expect([await shown(), await words.textContent()]).toEqual([scrolled, said]);
    expect(await page.getByRole("searchbox").inputValue()).toBe("pool");
    expect(await opacity("contract Token")).toBe("0.2");
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect([colorScheme, await axeFindings(page, rulesIn(colorScheme))]).toEqual([colorScheme, []]);
    }
    await page.emulateMedia({ media: "print" });
    const cut = await page.evaluate(
      "(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => [scrollWidth - clientWidth, scrollHeight - clientHeight])(document.getElementById('map'))",
    );
    expect(cut).toEqual([0, 0]);
    await page.emulateMedia({ media: null });
    await page.keyboard.press("0");
    const [whole, room] = (await page.evaluate(
      "['svg', '#map'].map((each) => document.querySelector(each === 'svg' ? '#map svg' : each).getBoundingClientRect().width)",
    )) as [number, number];
    expect(whole).toBeLessThanOrEqual(room);
    if (process.env.GRAPHLOOM_SHOTS) {
      await page.setViewportSize({ width: 1200, height: 900 });
      await page.reload();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        await page.screenshot({
          path: `${process.env.GRAPHLOOM_SHOTS}/map-${colorScheme}.png`,
          fullPage: true,
        });
      }
      await box("contract Factory").hover();
      await page.screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/map-path.png` });
      await page.locator("a:has([data-node='entity Swap'])").focus();
    }
    // The focus is still on the box, which leads to its entities.
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "swap-119", exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("load a large map on their own, and show it without scripts as a picture with a list of links", async () => {
    const events = Array.from(
      { length: 300 },
      (_, index) => `
        - event: Event${index}(indexed address,uint256)
          handler: handle${index}`,
    ).join("");
    const build = sampleBuild((text) => text.replace("eventHandlers:", `eventHandlers:${events}`));
    await addVersion(pages.platform.database, {
      project: "project_1",
      name: "large",
      version: "1.0.0",
      deployment: "QmLarge",
      bundle: zipBuild(build),
      network: "mainnet",
      engine: "embedded",
      description: "",
    });
    await page.emulateMedia({ reducedMotion: "reduce" });
    await enter();
    const answer = await page.request.get(`${pages.address}/dashboard/large/1.0.0/map`);
    expect((await answer.text()).length).toBeLessThan(200_000);
    await page.goto(`${pages.address}/dashboard/large/1.0.0/map`);
    await page.locator("#map svg").waitFor();
    await page.getByRole("searchbox").fill("Event299");
    const found = await page
      .locator("[data-node='handler Factory Event299(indexed address,uint256)']")
      .boundingBox();
    const area = await page.locator("#map").boundingBox();
    expect(found && area && found.y >= area.y && found.y + found.height <= area.y + area.height).toBe(true);
    const plain = await browser.newPage({ javaScriptEnabled: false });
    await plain.context().addCookies(await page.context().cookies());
    await plain.goto(`${pages.address}/dashboard/large/1.0.0/map`);
    expect(await plain.getByRole("button", { name: "Zoom in" }).count()).toBe(0);
    await plain.getByRole("img", { name: "Map of large/1.0.0" }).waitFor();
    await plain.goto(`${pages.address}/dashboard/pools/1.0.0/map`);
    await plain.locator("a:has([data-node='entity Swap'])").click();
    await plain.getByRole("cell", { name: "swap-119", exact: true }).waitFor();
    await plain.close();
    if (process.env.GRAPHLOOM_SHOTS)
      await page.screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/map-large.png` });
    expect(complaints).toEqual([]);
  });

  it("can be reached with shortcuts, which a list explains and switches off", async () => {
    await pages.platform.database.query(
      SQL`insert into graphloom.versions (project, name, version, deployment) values ('project_1', 'more', '1', 'QmPools')`,
    );
    await signIn();
    await page.keyboard.press("/");
    expect(await page.evaluate("document.activeElement.id")).toBe("search");
    await page.keyboard.type("g/");
    expect(await page.locator("#search").inputValue()).toBe("g/");
    await page.locator("main").focus();
    await page.keyboard.press("g");
    await page.keyboard.press("p");
    await page.getByRole("heading", { name: "Pipelines" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("e");
    await page.getByRole("heading", { name: "Endpoints" }).waitFor();
    await page.keyboard.press("?");
    const list = page.getByRole("dialog", { name: "Keyboard shortcuts" });
    await list.getByText("Subgraphs").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await list.getByRole("checkbox").uncheck();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    expect([await list.count(), new URL(page.url()).pathname]).toEqual([0, "/endpoints"]);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await list.getByRole("checkbox").check();
    await list.getByRole("button", { name: "Close" }).click();
    // A page without a search leads to the one that has it.
    await page.keyboard.press("/");
    await page.locator("#search:focus").waitFor();
    expect(complaints).toEqual([]);
  });

  it("lead from the printed API key to an account, a project, an invitation and a login", async () => {
    const password = "correct horse battery";
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const copied = () => page.evaluate("navigator.clipboard.readText()");
    const menu = (name: string) =>
      page.getByRole("navigation", { name: "More" }).getByText(name, { exact: true }).click();
    await signIn();
    await menu("Account");
    await page.getByRole("link", { name: "Your account" }).click();
    await page.getByLabel("Email address").fill("root@example.com");
    await page.getByLabel("Your name").fill("Root");
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Subgraphs" }).waitFor();

    await menu("First");
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByLabel("Email addresses").fill("ann@example.com");
    await page.locator("form[action='/members/invite'] select").selectOption("Editor");
    await page.getByRole("button", { name: "Invite" }).click();
    await page.getByRole("button", { name: "Copy the link for ann@example.com" }).click();
    await page.getByText("Copied").first().waitFor();
    const link = String(await copied());
    await menu("First");
    await page.getByRole("link", { name: "API keys" }).click();
    await page.getByLabel("Name").fill("deploys");
    await page.getByRole("button", { name: "Create API key" }).click();
    await page.getByRole("button", { name: "Copy the API key" }).click();
    await page.getByText("Copied").first().waitFor();
    expect(await copied()).toMatch(/^gl_/);
    await menu("First");
    await page.getByRole("link", { name: "Projects" }).click();
    await page.getByRole("heading", { name: "New project" }).waitFor();
    await page.locator("form[action='/projects'] input").fill("Second");
    await page.getByRole("button", { name: "Create project" }).click();
    await menu("Second");
    await menu("Account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/sign-in$/);

    await page.goto(link);
    await page.getByLabel("Your name").fill("Ann");
    await page.getByLabel("Password").fill(password);
    await page.getByRole("button", { name: "Create account and join" }).click();
    await page.getByRole("link", { name: "pools/1.0.0" }).waitFor();
    await menu("Account");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/sign-in$/);

    // A server on this machine waits for the redirect, as the command line does.
    const received: string[] = [];
    const client = createServer((request, response) => {
      received.push(request.url ?? "");
      response.setHeader("content-type", "text/html").end("<h1>Done</h1>");
    });
    await new Promise<void>((done) => client.listen(0, "127.0.0.1", done));
    const redirectUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`;
    const asked = new URLSearchParams({
      client_id: "graphloom-cli",
      redirect_uri: redirectUri,
      code_challenge: "A".repeat(43),
      code_challenge_method: "S256",
      state: "one",
    });
    await page.goto(`${pages.address}/authorize?${asked}`);
    await page.getByLabel("Email address").fill("ann@example.com");
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
    expect(complaints).toEqual([]);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByRole("heading", { name: "Done" }).waitFor();
    expect(received[0]).toMatch(/^\/callback\?code=glc_[\w-]{32}&state=one$/);
    client.close();
    client.closeAllConnections();
  });

  it("cut nothing off on wide and narrow screens, even with a very long email address", async () => {
    const email = `${"somebody.with.a.long.name.".repeat(2)}somebody@${"department.".repeat(5)}example.com`;
    const { database } = pages.platform;
    const user = { id: "user_long", email, name: "Somebody" };
    await addUser(database, user, {});
    await addMember(database, "project_1", user.id, "Editor");
    await signIn();
    const longest = "https://a-long-name-of-a-node.example.com:8545";
    const why = `HTTP status 403: ${"A long reason of a node, ".repeat(5)}${"f".repeat(200)}`;
    for (let count = 0; count < 1_500; count += 1)
      nodeCounts.meters.askedNode("mainnet", "away", 10, longest, why);
    for (const [width, paths] of [
      [1440, ["/members", "/keys", "/dashboard/pools/1.0.0"]],
      [1024, ["/nodes"]],
      [320, ["/members", "/sign-in", "/dashboard/pools/1.0.0/log"]],
    ] as const) {
      await page.setViewportSize({ width, height: 740 });
      for (const path of paths) {
        await page.goto(pages.address + path);
        const cut =
          await page.evaluate(`[document.documentElement, ...document.querySelectorAll(".wide:not(.high)")]
          .map((element) => element.scrollWidth - element.clientWidth)`);
        const isWhole = width >= 1024 || path.endsWith("/log");
        expect([width, path, isWhole ? cut : [(cut as number[])[0]]]).toEqual([
          width,
          path,
          (isWhole ? (cut as number[]) : [0]).map(() => 0),
        ]);
        if (process.env.GRAPHLOOM_SHOTS) {
          const name = path.replaceAll("/", "-");
          await page.screenshot({
            path: `${process.env.GRAPHLOOM_SHOTS}/${width}${name}.png`,
            fullPage: true,
          });
        }
      }
    }
    const text = await page.locator(".log td:last-child").first().boundingBox();
    expect(text?.width).toBeGreaterThan(200);
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
