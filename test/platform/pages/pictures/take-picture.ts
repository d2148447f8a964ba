import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** The colours of a picture. */
export const themes = ["light", "dark"] as const;
export type Theme = (typeof themes)[number];

/** Opens pages in a theme, with a clock zone and a language that are the same everywhere. @param cookie of the session */
export async function openThemed(
  browser: Browser,
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
    ...{ ...size, colorScheme: theme, timezoneId: "UTC", locale: "en-GB", reducedMotion: "reduce" },
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

/** The addresses of all pages that links lead to, without what follows a `?`. Of the manual, the first page alone. */
export async function pathsFrom(page: Page, address: string, most: number): Promise<readonly string[]> {
  const found = new Set(["/"]);
  for (const path of found) {
    if (found.size >= most) break;
    const answer = await page.goto(address + path);
    if (!answer?.headers()["content-type"]?.startsWith("text/html")) {
      found.delete(path);
      continue;
    }
    const links: readonly string[] = await page.evaluate(
      "[...document.querySelectorAll('a[href]')].map((one) => new URL(one.getAttribute('href'), location).href)",
    );
    for (const link of links) {
      const { origin, pathname } = new URL(link);
      if (origin === address && !/^\/(?:docs\/|api\/)/.test(pathname)) found.add(pathname);
    }
  }
  return [...found];
}
