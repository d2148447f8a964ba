import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { onEither } from "../../support/database/databases.js";
import { browserMissing, openBrowser } from "../../support/server/browser.js";
import { startPlatform, type TestPlatform } from "../../support/server/platform-server.js";

const databases = onEither();
let server: TestPlatform;

beforeAll(async () => {
  server = await startPlatform(await databases.fresh());
});
afterAll(() => server.close());

it.skipIf(browserMissing !== undefined)(
  "the API explorer has the header of the other pages and labels for all its fields",
  async () => {
    const browser = await openBrowser();
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
      await page.goto(`${server.url}/docs`);
      const header = page.getByRole("banner");
      const links = await header.getByRole("link").all();
      const shown = links.map(async (link) => [await link.textContent(), await link.getAttribute("href")]);
      expect(await Promise.all(shown)).toEqual([
        ["graphloom", "/"],
        ["Subgraphs", "/"],
        ["Docs", "/docs"],
        ["API", "/api/v1/docs"],
      ]);
      expect(await header.locator("[aria-current=page]").textContent()).toBe("API");
      expect(await page.locator(".topbar").count()).toBe(0);
      await page.locator("#operations-tag-subgraphs").first().waitFor();
      await page.locator(".opblock-summary-control").first().click();
      await page.locator(".parameters input, .execute").first().waitFor();
      const nameless = `[...document.querySelectorAll(".swagger-ui :is(input, select, textarea)")]
      .filter((field) => !field.getAttribute("aria-label")).length
      + [...document.images].filter((image) => image.checkVisibility() && !image.hasAttribute("alt")).length`;
      expect(await page.evaluate(nameless)).toBe(0);
      expect(await page.evaluate("document.documentElement.lang")).toBe("en");
      expect(complaints).toEqual([]);
      if (process.env.GRAPHLOOM_SHOTS)
        await page.screenshot({ path: `${process.env.GRAPHLOOM_SHOTS}/explorer.png` });
    } finally {
      await browser.close();
    }
  },
);

it.skipIf(browserMissing !== undefined)(
  "the API explorer is as wide as a telephone, with an operation opened",
  async () => {
    const browser = await openBrowser();
    onTestFinished(() => browser.close());
    const page = await browser.newPage({ viewport: { width: 390, height: 800 }, isMobile: true });
    await page.goto(`${server.url}/docs`);
    await page.locator(".opblock-post .opblock-summary-control").first().click();
    await page.locator(".opblock-post .execute").first().waitFor();
    // A telephone shows a page that is wider, or does not say that it fits, from farther away.
    expect(await page.evaluate("innerWidth")).toBe(390);
  },
);

if (browserMissing !== undefined) it.skip(browserMissing, () => undefined);
