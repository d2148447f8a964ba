import { existsSync } from "node:fs";
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Why no browser is available for tests; `undefined` when one is. */
export const browserMissing: string | undefined =
  program === undefined ? "skipped: no Chromium is installed (apt-get install chromium)" : undefined;

/** A real browser that contacts only the servers that a test opens. */
export interface TestBrowser {
  /**
   * Opens a page without cookies and permissions, beside no other page. Once it is closed, the next page with the same
   * options takes its place, since a new context takes Chromium a second. Only local storage stays, which belongs to the
   * address of a server.
   */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** Makes a context that is used for nothing else. Close it, or the browser. */
  newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  /** Closes all pages that it has opened. */
  close(): Promise<void>;
}

/** One for all files of a test worker. It ends with the worker. */
let shared: Promise<Browser> | undefined;
/** Contexts that have no page, by their options. */
const idle = new Map<string, BrowserContext[]>();

/** Opens a browser. */
export async function openBrowser(): Promise<TestBrowser> {
  shared ??= launch();
  const browser = await shared;
  const used = new Set<BrowserContext>();
  const contexts: BrowserContext[] = [];
  return {
    async newPage(options = {}) {
      const kept = idleOf(options);
      const context = kept.pop() ?? (await browser.newContext(options));
      await context.setOffline(false);
      await context.clearCookies();
      await context.clearPermissions();
      if (options.permissions) await context.grantPermissions([...options.permissions]);
      const page = await context.newPage();
      used.add(context);
      page.once("close", () => {
        // Another page of the context may be open still.
        if (used.delete(context) && context.pages().length === 0) kept.push(context);
      });
      return page;
    },
    async newContext(options) {
      const context = await browser.newContext(options);
      contexts.push(context);
      return context;
    },
    async close() {
      for (const context of used) for (const page of context.pages()) await page.close();
      for (const context of contexts) await context.close();
    },
  };
}

function idleOf(options: BrowserContextOptions): BrowserContext[] {
  const key = JSON.stringify(options);
  const kept = idle.get(key) ?? [];
  idle.set(key, kept);
  return kept;
}

async function launch(): Promise<Browser> {
  if (program === undefined) throw new Error(browserMissing);
  return chromium.launch({
    executablePath: program,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}
