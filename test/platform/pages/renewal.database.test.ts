import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { deleteVersion, setTag } from "../../../src/platform/subgraphs/versions.js";
import { SQL } from "../../../src/store/database/database.js";
import { onEither, world } from "../../support/database/databases.js";
import { axeFindings } from "../../support/server/axe.js";
import { browserMissing, openBrowser, type TestBrowser } from "../../support/server/browser.js";
import { until } from "../../support/until.js";
import { startPages } from "./harness.js";

const databases = onEither();
const path = "/dashboard/pools/1.0.0";
/** Lets short waits end after a tenth of their time. */
const impatient =
  "{ const later = setTimeout; window.setTimeout = (work, wait) => later(work, wait > 5000 ? wait : wait / 10); }";
const impatientWorld = {
  ...world,
  timeout: (wait: number) => world.timeout(Math.ceil(wait > 5_000 ? wait : wait / 10)),
};

/** Makes a page believe that it is hidden, or shown again. */
const hide = (isHidden: boolean): string =>
  `Object.defineProperty(document, "hidden", { configurable: true, value: ${isHidden} });
  document.dispatchEvent(new Event("visibilitychange"));`;

describe.skipIf(browserMissing !== undefined)("A page that renews itself", () => {
  let browser: TestBrowser;
  let pages: Awaited<ReturnType<typeof startPages>>;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    pages = await startPages(await databases.fresh(), { world: impatientWorld });
    page = await browser.newPage();
    await page.addInitScript(impatient);
    await page.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("owner")}`);
    await page.goto(pages.address + path);
  });
  afterEach(async () => {
    await page.close();
    await pages.stop();
  });

  function change(changed: Partial<HostedStatus>): void {
    const status = pages.statuses.get("QmPools");
    if (!status) throw new Error("the status is there");
    pages.statuses.set("QmPools", { ...status, ...changed });
  }

  /** Waits until the page shows a new block. */
  async function renewed(headBlock: number): Promise<void> {
    change({ headBlock });
    await page.getByText(`block ${headBlock} of 110`).waitFor();
  }

  /** Counts how often the server makes a page from now on. */
  function renders(): { readonly count: number } {
    const [engine] = pages.platform.hosting.engines;
    if (!engine) throw new Error("the engine is there");
    const { status } = engine;
    const renders = { count: 0 };
    engine.status = (asked) => {
      renders.count += 1;
      return status(asked);
    };
    return renders;
  }

  /** Waits until the server has made the page a number of times. */
  async function rendered(times: number): Promise<void> {
    const made = renders();
    await until(async () => made.count >= times);
  }

  it("keeps the keyboard focus, and Tab continues from it", async () => {
    await page.getByRole("link", { name: "Webhooks" }).focus();
    await renewed(61);
    await renewed(62);
    const focused = "document.activeElement.textContent";
    expect(await page.evaluate(focused)).toBe("Webhooks");
    await page.keyboard.press("Shift+Tab");
    expect(await page.evaluate(focused)).toBe("Log");
  });

  it("keeps typed text, selected options and opened sections", async () => {
    change({ nonFatalErrors: [{ message: "no amount", block: 17, handler: "handleSwap" }] });
    await page.getByText("1 error that did not stop indexing").click();
    await renewed(61);
    await renewed(62);
    expect(await page.getByText("no amount").isVisible()).toBe(true);
    await page.getByRole("link", { name: "Log", exact: true }).click();
    await page.getByLabel("Containing").fill("swap");
    await page.getByLabel("Minimum level").selectOption("warn");
    await page.getByRole("link", { name: "Stop following" }).focus();
    for (const text of ["indexed block 61", "indexed block 62"]) {
      pages.lines.unshift({ text, timestamp: 1_700_000_001_000, level: "info" });
      await page.getByText(text).waitFor();
    }
    expect(await page.getByLabel("Containing").inputValue()).toBe("swap");
    expect(await page.getByLabel("Minimum level").inputValue()).toBe("warn");
  });

  it("keeps the scroll position of the page, and of tables that are wider than it", async () => {
    await page.setViewportSize({ width: 360, height: 300 });
    await page.getByText("Figures as a table").click();
    const places = (): Promise<unknown> =>
      page.evaluate(
        "[scrollY, document.querySelector('#history-figures .wide').scrollLeft, document.querySelector('#history-figures').open]",
      );
    await page.evaluate("scrollTo(0, 250); document.querySelector('#history-figures .wide').scrollLeft = 30");
    expect(await places()).toEqual([250, 30, true]);
    // A paragraph that comes above would move what is shown.
    await renewed(61);
    await renewed(62);
    expect(await places()).toEqual([250, 30, true]);
  });

  it("announces a failure and the new state once", async () => {
    await page.evaluate(`
      window.alerts = 0;
      new MutationObserver((changes) => {
        for (const { addedNodes } of changes)
          for (const node of addedNodes)
            if (node.matches?.("[role=alert]") || node.querySelector?.("[role=alert]")) window.alerts += 1;
      }).observe(document.body, { childList: true, subtree: true });
    `);
    change({ health: "failed", fatalError: { message: "division by zero", block: 61 } });
    await page.getByText("division by zero").waitFor();
    await renewed(61);
    await renewed(62);
    expect(await page.evaluate("window.alerts")).toBe(1);
    expect(await page.locator(".heard[role=status]").textContent()).toBe("pools/1.0.0: failed");
    expect(await page.locator("[role=status], [aria-live]").count()).toBe(1);
    expect(await page.title()).toMatch(/^\(1 failed\)/);
    expect(await page.locator("link[rel=icon]").getAttribute("href")).toBe("/assets/icon.svg?failed=1");
  });

  it("changes nothing while nothing is new, and is sent compressed", async () => {
    await page.evaluate(`
      window.changes = 0;
      new MutationObserver((changes) => { window.changes += changes.length; })
        .observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
    `);
    await rendered(3);
    expect(await page.evaluate("window.changes")).toBe(0);
    const whole = await page.request.get(pages.address + path);
    expect(whole.headers()["content-encoding"]).toBe("gzip");
  });

  it("does not change elements that its scripts manage, until the server renames them", async () => {
    const shown = await page.evaluate(`import("/assets/morph.js").then(({ morphContent }) => {
      const area = document.createElement("div");
      const show = (name, text) => {
        const fresh = document.createElement("template");
        fresh.innerHTML = '<p>' + text + '</p><div data-own="' + name + '">' + text + '</div>';
        morphContent(area, fresh.content);
      };
      show("one", "first");
      area.querySelector("div").textContent = "zoomed";
      show("one", "second");
      const kept = area.textContent;
      show("two", "third");
      return [kept, area.textContent];
    })`);
    expect(shown).toEqual(["secondzoomed", "thirdthird"]);
  });

  it("is sent nothing while it is hidden, and catches up when it is shown again", async () => {
    const asked = renders();
    await page.evaluate(hide(true));
    await until(async () => {
      const before = asked.count;
      await new Promise((done) => setTimeout(done, 500));
      return asked.count === before;
    });
    change({ headBlock: 61 });
    const before = await page.evaluate("document.querySelector('main').innerHTML");
    // Another page is kept up to date meanwhile.
    const other = await page.context().newPage();
    await other.addInitScript(impatient);
    await other.goto(pages.address + path);
    change({ headBlock: 62 });
    await other.getByText("block 62 of 110").waitFor();
    await other.close();
    expect(await page.evaluate("document.querySelector('main').innerHTML")).toBe(before);
    await page.evaluate(hide(false));
    await page.getByText("block 62 of 110").waitFor();
  });

  it("continues while text is selected, keeps the selection, and looks it up once", async () => {
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('dd a.mono'))");
    const selected = await page.evaluate("String(getSelection())");
    await renewed(61);
    expect(selected).toContain("/api/public/");
    expect(await page.evaluate("String(getSelection())")).toBe(selected);
    // Browsers lay out the page for each look at the selection.
    const morphed = await page.evaluate(`(async () => {
      const { morphContent } = await import("/assets/morph.js");
      const list = document.createElement("div");
      document.body.append(list);
      list.innerHTML = "<p>old</p>".repeat(100);
      getSelection().selectAllChildren(list.children[2]);
      let looks = 0;
      const { get } = Object.getOwnPropertyDescriptor(Selection.prototype, "isCollapsed");
      Object.defineProperty(Selection.prototype, "isCollapsed", { get() { looks++; return get.call(this); } });
      const fresh = document.createElement("template");
      fresh.innerHTML = "<p>new</p>".repeat(100);
      morphContent(list, fresh.content);
      return { looks, text: list.textContent };
    })()`);
    expect(morphed).toEqual({ looks: 1, text: `newnewold${"new".repeat(97)}` });
  });

  it("shows when the connection was lost, loses its colors, can still be read, and recovers", async () => {
    await renewed(61);
    await page.context().setOffline(true);
    await page
      .getByText(/^Disconnected since \d\d:\d\d:\d\d\./)
      .first()
      .waitFor();
    const colors = "getComputedStyle(document.querySelector('main')).filter";
    expect(await page.evaluate(colors)).toBe("grayscale(1)");
    expect(await axeFindings(page)).toEqual([]);
    await page.context().setOffline(false);
    await renewed(62);
    expect(await page.getByText("Disconnected since").count()).toBe(0);
    expect(await page.evaluate(colors)).toBe("none");
  });

  it("links to the sign-in page when the session has ended", async () => {
    await page.request.post(`${pages.address}/sign-out`, { headers: { "sec-fetch-site": "same-origin" } });
    await page.getByRole("link", { name: "Sign in" }).click();
    await page.getByLabel("API key").fill("gl_viewer");
    await page.keyboard.press("Enter");
    await page.waitForURL(pages.address + path);
  });

  it("reports that its version no longer exists, and links to the existing ones", async () => {
    const version = { project: "project_1", name: "pools", version: "1.0.0" };
    await pages.platform.database.transaction(async (sql) => {
      await sql.query(
        SQL`insert into graphloom.versions (project, name, version, deployment)
          select project, name, '2.0.0', deployment from graphloom.versions`,
      );
      await setTag(sql, { ...version, version: "prod" }, "2.0.0");
      await sql.query(SQL`delete from graphloom.webhooks`);
      await deleteVersion(sql, version);
    });
    await page
      .getByText(/Disconnected since .* no longer exists/)
      .first()
      .waitFor();
    await page.getByRole("link", { name: "pools/2.0.0" }).click();
    await page.getByRole("heading", { name: "pools/2.0.0" }).waitFor();
  });
});

describe.skipIf(browserMissing !== undefined)("A browser with many windows", () => {
  let browser: TestBrowser;
  let pages: Awaited<ReturnType<typeof startPages>>;
  beforeAll(async () => {
    browser = await openBrowser();
    pages = await startPages(await databases.fresh(), { world: impatientWorld });
  });
  afterAll(async () => {
    await browser.close();
    await pages.stop();
  });

  it("renews twelve visible pages over one connection, and says why a thirteenth is not renewed", async () => {
    const context = await browser.newContext();
    await context.addInitScript(impatient);
    await context.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("owner")}`);
    const asked: string[] = [];
    pages.app.server.on("request", ({ method, headers }) => {
      if (headers.accept?.includes("text/event-stream")) asked.push(method ?? "");
    });
    const open = async (address: string): Promise<Page> => {
      const page = await context.newPage();
      await page.goto(pages.address + address);
      return page;
    };
    const windows: Page[] = [];
    for (let count = 0; count < 12; count += 1) windows.push(await open(count % 2 === 0 ? path : "/"));
    const status = pages.statuses.get("QmPools");
    if (!status) throw new Error("the status is there");
    pages.statuses.set("QmPools", {
      ...status,
      health: "failed",
      fatalError: { message: "division by zero", block: 61 },
    });
    for (const window of windows) await window.getByText("division by zero").first().waitFor();
    expect(new Set(asked)).toEqual(new Set(["POST"]));
    const one = await open(path);
    await one.getByText("Too many pages are open at once").first().waitFor();
    await windows[0]?.close();
    await one.getByRole("region", { name: "Connection" }).waitFor({ state: "hidden" });
    // Pages without renewal are not held up, either.
    await open("/docs");
    await context.close();
  });

  it("renews each page over its own connection if it has no shared workers", async () => {
    const page = await browser.newPage();
    await page.addInitScript("delete window.SharedWorker");
    await page.request.get(`${pages.address}/sign-in?code=${pages.codes.issue("owner")}`);
    await page.goto(pages.address + path);
    const status = pages.statuses.get("QmPools");
    if (!status) throw new Error("the status is there");
    pages.statuses.set("QmPools", { ...status, health: "healthy", headBlock: 77 });
    await page.getByText("block 77 of 110").waitFor();
    await page.close();
  });
});

describe("The events of a page", () => {
  let pages: Awaited<ReturnType<typeof startPages>>;
  /** How many times faster than usual time passes. */
  let haste: number;
  /** All waits of the server, in milliseconds. */
  let waits: number[];

  beforeEach(async () => {
    haste = 100;
    waits = [];
    pages = await startPages(await databases.fresh(), {
      world: {
        ...world,
        timeout: (wait) => {
          waits.push(wait);
          return world.timeout(Math.ceil(wait / haste));
        },
      },
    });
  });
  afterEach(() => pages.stop());

  async function signIn(): Promise<string> {
    const body = new URLSearchParams({ key: "gl_viewer" });
    const answer = await fetch(`${pages.address}/sign-in`, { method: "POST", body, redirect: "manual" });
    return (answer.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  }

  /** Opens a page's events as its script does. */
  async function follow(cookie: string, signal?: AbortSignal) {
    const shown = await (await fetch(pages.address + path, { headers: { cookie } })).text();
    const [, tag = ""] = /data-live="([^"]*)"/.exec(shown) ?? [];
    const headers = { cookie, accept: "text/event-stream, text/html", "graphloom-renewal": tag };
    return fetch(pages.address + path, { headers, redirect: "manual", ...(signal && { signal }) });
  }

  it("hold a changed page once, then only the lines that change, at most one update a second", async () => {
    const answer = await follow(await signIn());
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    const updates: { tab: string; news: string; content: readonly unknown[] }[] = [];
    const decoder = new TextDecoder();
    let rest = "";
    const status = pages.statuses.get("QmPools");
    if (!status || !answer.body) throw new Error("the status and the events are there");
    let headBlock = 60;
    for await (const chunk of answer.body) {
      rest += decoder.decode(chunk, { stream: true });
      const events = rest.split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        const [, data] = /^data: (.*)$/m.exec(event) ?? [];
        if (data !== undefined) updates.push(JSON.parse(data));
      }
      headBlock += 1;
      pages.statuses.set("QmPools", { ...status, headBlock });
      if (updates.length === 4) break;
    }
    const [whole, ...others] = updates;
    expect(whole).toMatchObject({
      tab: "pools/1.0.0",
      content: [expect.stringContaining("<h1>pools/1.0.0</h1>")],
    });
    for (const { content } of others) {
      const sent = content.filter((part) => typeof part === "string").join("");
      expect(sent).toContain("of 110");
      expect(sent.length).toBeLessThan(600);
    }
    expect(Math.min(...waits)).toBe(1_000);
  });

  it("end when the session ends, and the next request leads to the sign-in page", async () => {
    const cookie = await signIn();
    const answer = await follow(cookie);
    expect(answer.headers.get("content-type")).toBe("text/event-stream");
    await pages.platform.database.query(
      SQL`update graphloom.api_keys set revoked_at = now() where id = 'viewer'`,
    );
    // The answer ends by itself.
    expect(await answer.text()).not.toContain("data:");
    expect((await follow(cookie)).status).toBe(303);
  });

  /** Asks for the events of several pages in one answer. @returns the pages that end, and those with an update */
  async function followAll(cookie: string, addresses: readonly string[]) {
    const body = JSON.stringify({
      browser: randomUUID(),
      pages: addresses.map((address, id) => ({ id: String(id), address, tag: "none" })),
    });
    const headers = {
      cookie,
      "content-type": "application/json",
      accept: "text/event-stream",
      origin: pages.address,
    };
    const gone = new AbortController();
    const answer = await fetch(`${pages.address}/live`, {
      ...{ method: "POST", headers, body, redirect: "manual", signal: gone.signal },
    });
    const found = new Map<string, string>();
    if (answer.status !== 200 || !answer.body) return { status: answer.status, found };
    let text = "";
    for await (const chunk of answer.body) {
      text += Buffer.from(chunk).toString();
      for (const [, name = "", id = ""] of text.matchAll(/^event: (\w+)\ndata: \{"page":"(\d+)"/gm))
        if (!found.has(id)) found.set(id, name);
      if (found.size === addresses.length) break;
    }
    gone.abort();
    return { status: 200, found };
  }

  it("come for several pages in one answer, and end for pages that the visitor may not see", async () => {
    const cookie = await signIn();
    const addresses = [
      path,
      "/",
      `${path}/webhooks`,
      "/docs",
      "/audit",
      "/nowhere",
      "/dashboard/other/1.0.0",
      "/%zz",
    ];
    const { found } = await followAll(cookie, addresses);
    const updated = addresses.filter((_, id) => found.get(String(id)) === "update");
    expect(updated).toEqual([path, "/", `${path}/webhooks`]);
    expect(found.size).toBe(addresses.length);
  });

  it("are refused for a body that names no pages or too many, and without a session", async () => {
    const cookie = await signIn();
    expect((await followAll(cookie, Array(25).fill(path))).status).toBe(400);
    expect((await followAll("", [path])).status).toBe(401);
    const send = (body: string, more = {}) =>
      fetch(`${pages.address}/live`, {
        method: "POST",
        body,
        redirect: "manual",
        headers: { cookie, "content-type": "application/json", origin: pages.address, ...more },
      });
    const bodies = [
      "{}",
      "[]",
      '{"pages":[]}',
      ...["{}", '[{"id":1}]', "[null]"].map((own) => `{"browser":"b","pages":${own}}`),
    ];
    for (const body of bodies) expect([body, (await send(body)).status]).toEqual([body, 400]);
    expect(
      (await send('{"browser":"b","pages":[]}', { origin: "https://elsewhere.example" })).status,
    ).not.toBe(200);
  });

  it("are refused for a session with too many open pages, and free their places when the browser leaves", async () => {
    haste = 1;
    // Unlike `fetch`, it keeps an answer open that is no longer referred to, and opens no connection in advance.
    const agent = new Agent();
    const open = async (cookie: string) => {
      const headers = {
        cookie,
        accept: "text/event-stream",
        "accept-encoding": "gzip",
        "graphloom-renewal": "none",
      };
      const sent = request(pages.address, { headers, agent }).end();
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      return answer;
    };
    const cookie = await signIn();
    const opened: IncomingMessage[] = [];
    for (let count = 0; count < 12; count += 1) opened.push(await open(cookie));
    expect(opened.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(200));
    expect((await open(cookie)).statusCode).toBe(429);
    expect((await open(await signIn())).statusCode).toBe(200);
    for (const answer of opened) answer.destroy();
    await until(async () => (await open(cookie)).statusCode === 200);
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
