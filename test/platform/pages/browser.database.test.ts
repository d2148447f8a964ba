import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserMissing, openBrowser } from "../../support/browser.js";
import { onPglite } from "../../support/databases.js";
import { startPages } from "./harness.js";

const databases = onPglite();

describe.skipIf(browserMissing !== undefined)("The pages in a real browser", () => {
  let browser: Browser;
  let pages: Awaited<ReturnType<typeof startPages>>;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    pages = await startPages(await databases.fresh());
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

  const signIn = () => page.goto(`${pages.address}/sign-in?code=${pages.codes.issue("owner")}`);

  it("can be used by keyboard alone", async () => {
    await page.goto(pages.address);
    await page.keyboard.type("gl_owner");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Subgraphs" }).waitFor();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "pools/1.0.0" }).waitFor();
    await page.getByRole("button", { name: "Pause" }).press("Enter");
    await page.getByText("paused").first().waitFor();
    await page.getByRole("link", { name: "swap", exact: true }).press("Enter");
    await page.getByRole("cell", { name: "swap-7", exact: true }).waitFor();
    expect(complaints).toEqual([]);
  });

  it("shows progress as it is made, and stays where somebody is", async () => {
    await signIn();
    await page.getByText("block 60 of 110").waitFor();
    const status = pages.statuses.get("QmPools");
    if (!status) throw new Error("the status is there");
    pages.statuses.set("QmPools", { ...status, headBlock: 110, isSynced: true });
    await page.getByText("block 110 of 110").waitFor();
    await page.getByText("synced").waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)("fits a telephone, %s", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 360, height: 740 });
    await signIn();
    for (const path of ["/", "/dashboard/pools/1.0.0", "/dashboard/pools/1.0.0/entities/swap", "/keys"]) {
      await page.goto(pages.address + path);
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      expect([path, wider]).toEqual([path, 0]);
    }
    const ground = await page.evaluate("getComputedStyle(document.documentElement).backgroundColor");
    expect(ground).toBe(colorScheme === "dark" ? "rgb(17, 18, 22)" : "rgb(251, 251, 253)");
    expect(complaints).toEqual([]);
    if (process.env.GRAPHLOOM_SHOTS) {
      await page.goto(`${pages.address}/dashboard/pools/1.0.0`);
      await page.screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/${colorScheme}.png`, fullPage: true });
      await page.setViewportSize({ width: 1200, height: 800 });
      await page.screenshot({
        path: `${process.env.GRAPHLOOM_SHOTS}/${colorScheme}-wide.png`,
        fullPage: true,
      });
      await page.goto(pages.address);
      await page.screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/${colorScheme}-list.png` });
    }
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
