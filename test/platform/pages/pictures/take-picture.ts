import type { BrowserContextOptions, Page } from "playwright-core";
import type { TestBrowser } from "../../../support/server/browser.js";

/** The colours of a picture. */
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Opens pages in a theme, with a clock zone and a language that are the same everywhere. @param cookie of the session */
export async function openThemed(
  browser: TestBrowser,
  theme: Theme,
  {
    address,
    cookie,
    ...size
  }: { readonly address: string; readonly cookie: string } & Pick<
    BrowserContextOptions,
    "viewport" | "deviceScaleFactor"
  >,
): Promise<Page> {
  const context = await browser.newContext({
    ...size,
    colorScheme: theme,
    timezoneId: "UTC",
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  const [name = "", value = ""] = cookie.split("=");
  await context.addCookies([{ name, value, url: address }]);
  return context.newPage();
}

/** The first screen of a page as WebP, which is smaller than PNG. */
export async function takeWebp(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 85 });
  return Buffer.from(data, "base64");
}

/**
 * The addresses of the pages that links lead to, each with one query at most: of one version with all of its tabs, and of
 * the manual's first page alone.
 * @param cookie of the session
 */
export async function pathsFrom(address: string, cookie: string): Promise<readonly string[]> {
  const found = new Map([["/", "/"]]);
  const pages: string[] = [];
  for (const path of found.values()) {
    const answer = await fetch(address + path, { headers: { cookie, accept: "text/html" } });
    const text = await answer.text();
    if (!answer.ok || !answer.headers.get("content-type")?.startsWith("text/html")) continue;
    pages.push(path);
    for (const [, link = ""] of text.matchAll(/<a [^>]*?href="([^"]+)"/g)) {
      const { origin, pathname, search } = new URL(link.replaceAll("&amp;", "&"), answer.url);
      const shape = pathname
        .replace(/^\/dashboard\/[^/]+\/[^/]+/, "/dashboard")
        .replace(/\/deliveries\/.*/, "/deliveries");
      if (origin === address && !found.has(shape) && !/^\/(?:docs|api)\//.test(pathname)) {
        found.set(shape, pathname + search);
      }
    }
  }
  return pages;
}
