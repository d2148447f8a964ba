import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { onEither } from "../../support/database/databases.js";
import { axeFindings, rulesIn } from "../../support/server/axe.js";
import { browserMissing, openBrowser, type TestBrowser } from "../../support/server/browser.js";
import { startPages } from "./harness.js";

const databases = onEither();

describe.skipIf(browserMissing !== undefined)("The header of a page", () => {
  let browser: TestBrowser;
  let pages: Awaited<ReturnType<typeof startPages>>;

  beforeAll(async () => {
    [browser, pages] = [await openBrowser(), await startPages(await databases.fresh())];
  });
  afterAll(async () => {
    await browser.close();
    await pages.stop();
  });

  /** A page of an Owner. */
  async function signedIn(options: Parameters<TestBrowser["newPage"]>[0] = {}): Promise<Page> {
    const page = await browser.newPage(options);
    await page.goto(`${pages.address}/sign-in?code=${pages.codes.issue("owner")}`);
    return page;
  }

  const heightOf = (page: Page) =>
    page.evaluate("document.querySelector('body > header').offsetHeight") as Promise<number>;

  it("has one line at 1,024 pixels, two on a telephone, and is never wider than the page", async () => {
    const page = await signedIn({ viewport: { width: 1024, height: 768 } });
    const line = await heightOf(page);
    expect(line).toBeLessThan(60);
    for (const [width, lines] of [
      [390, 2],
      [320, 3],
    ] as const) {
      await page.setViewportSize({ width, height: 844 });
      expect(await heightOf(page), String(width)).toBeLessThan(lines * 50);
      for (const name of ["First", "Account"]) {
        await page.locator(".menu summary", { hasText: name }).click();
        const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
        const box = await page.locator(".menu[open] > div").boundingBox();
        expect([name, wider, (box?.x ?? -1) >= 0]).toEqual([name, 0, true]);
      }
    }
    // The longest name of a project.
    const rename = (name: string) =>
      pages.platform.database.query(
        SQL`update graphloom.projects set name = $1::text where id = 'project_1'`,
        [name],
      );
    await rename("First ".repeat(13));
    await page.reload();
    expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBe(0);
    await rename("First");
    await page.close();
  });

  it("opens its menus by keyboard, one at a time, and closes them by Escape and by a click elsewhere", async () => {
    const page = await signedIn();
    const open = () => page.locator(".menu[open] > summary").allTextContents();
    await page.locator(".menu summary", { hasText: "First" }).press("Enter");
    expect(await open()).toEqual(["First"]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await axeFindings(page, rulesIn(colorScheme))).toEqual([]);
    }
    const focused = () => page.evaluate("document.activeElement.textContent");
    const visited: unknown[] = [];
    for (let index = 0; index < 5; index++) {
      await page.keyboard.press("Tab");
      visited.push(await focused());
    }
    expect(visited).toEqual(["Projects", "Members", "API keys", "Audit log", "Account"]);
    await page.keyboard.press("Space");
    expect(await open()).toEqual(["Account"]);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Your account");
    await page.keyboard.press("Escape");
    expect([await open(), await focused()]).toEqual([[], "Account"]);
    await page.locator(".menu summary", { hasText: "First" }).click();
    await page.locator("h1").click();
    expect(await open()).toEqual([]);
    await page.close();
  });

  it("opens its menus, and signs out, without scripts", async () => {
    const page = await signedIn({ javaScriptEnabled: false });
    await page.locator(".menu summary", { hasText: "First" }).click();
    await page.getByRole("link", { name: "Members" }).click();
    await page.getByRole("heading", { name: "Members" }).waitFor();
    await page.locator(".menu summary", { hasText: "Account" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(/\/sign-in$/);
    await page.close();
  });
});

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
