import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { HostedStatus } from "../../../src/hosting/engine.js";
import { deleteVersion, setTag } from "../../../src/platform/subgraphs/versions.js";
import { SQL } from "../../../src/store/database/database.js";
import { onPglite } from "../../support/database/databases.js";
import { browserMissing, openBrowser } from "../../support/server/browser.js";
import { until } from "../../support/until.js";
import { startPages } from "./harness.js";

const databases = onPglite();
const path = "/dashboard/pools/1.0.0";
/** Lets pages wait a tenth of the time before they renew themselves. */
const impatient = "{ const later = setTimeout; window.setTimeout = (work, wait) => later(work, wait / 10); }";

describe.skipIf(browserMissing !== undefined)("A page that renews itself", () => {
  let browser: Browser;
  let context: BrowserContext;
  let pages: Awaited<ReturnType<typeof startPages>>;
  let page: Page;

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    pages = await startPages(await databases.fresh());
    context = await browser.newContext();
    await context.addInitScript(impatient);
    page = await context.newPage();
    await page.goto(`${pages.address}/sign-in?code=${pages.codes.issue("owner")}`);
    await page.goto(pages.address + path);
  });
  afterEach(async () => {
    await context.close();
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
    await page.getByText("1 handler failed").click();
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
  });

  it("changes nothing and receives no content while nothing is new", async () => {
    const answers: number[] = [];
    page.on("response", (response) => {
      if (response.url().endsWith(path)) answers.push(response.status());
    });
    await until(async () => answers.length >= 1);
    await page.evaluate(`
      window.changes = 0;
      new MutationObserver((changes) => { window.changes += changes.length; })
        .observe(document.body, { childList: true, subtree: true, attributes: true, characterData: true });
    `);
    await until(async () => answers.length >= 3);
    expect(answers).toEqual([200, 304, 304]);
    expect(await page.evaluate("window.changes")).toBe(0);
    const whole = await page.request.get(pages.address + path);
    expect(whole.headers()["content-encoding"]).toBe("gzip");
  });

  it("continues while text is selected, and keeps the selection", async () => {
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('dd a.mono'))");
    const selected = await page.evaluate("String(getSelection())");
    await renewed(61);
    expect(selected).toContain("/api/public/");
    expect(await page.evaluate("String(getSelection())")).toBe(selected);
  });

  it("shows when the connection was lost, dims, and recovers", async () => {
    await renewed(61);
    await context.setOffline(true);
    await page.getByText(/^Last updated at \d\d:\d\d:\d\d\./).waitFor();
    const opacity = "Number(getComputedStyle(document.querySelector('main')).opacity)";
    expect(await page.evaluate(opacity)).toBeLessThan(1);
    await context.setOffline(false);
    await renewed(62);
    expect(await page.getByText("Last updated").isVisible()).toBe(false);
    expect(await page.evaluate(opacity)).toBe(1);
  });

  it("links to the sign-in page when the session has ended", async () => {
    await context.clearCookies();
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
    await page.getByText(/Last updated at .* no longer exists/).waitFor();
    await page.getByRole("link", { name: "pools/2.0.0" }).click();
    await page.getByRole("heading", { name: "pools/2.0.0" }).waitFor();
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
