// The browser of `look.mjs`: pages that are open at once, and what each receives and does.
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

/** Counts the updates that a page shows, and the tasks that keep it from answering for more than 50 ms. */
function observe() {
  const seen = { updates: 0, tasks: [] };
  globalThis.benchSeen = seen;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.tasks.push(duration);
  }).observe({ type: "longtask", buffered: true });
  document.addEventListener("DOMContentLoaded", () => {
    const main = document.querySelector("main[data-live]");
    if (main) new MutationObserver(() => seen.updates++).observe(main, { attributeFilter: ["data-live"] });
  });
}

/**
 * Opens pages, each in a tab.
 * @param pages their addresses by name
 */
export async function openPages(address, key, pages) {
  if (!program) throw new Error("there is no Chromium: apt-get install chromium");
  const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox", "--disable-gpu"] });
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  await context.addInitScript(observe);
  const first = await context.newPage();
  await first.goto(`${address}/sign-in`);
  await first.locator("input[name=key]").fill(key);
  await first.keyboard.press("Enter");
  await first.getByRole("heading", { name: "Subgraphs" }).waitFor();
  const [cookie] = await context.cookies();
  await first.close();
  const open = [];
  for (const [name, path] of pages) {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    const tab = { name, page, session, bytes: 0 };
    await session.send("Network.enable");
    session.on("Network.dataReceived", ({ encodedDataLength }) => {
      tab.bytes += encodedDataLength;
    });
    await page.goto(`${address}${path}`);
    open.push(tab);
  }
  return {
    cookie: `${cookie.name}=${cookie.value}`,
    /** What each page has done so far, and the memory that it takes after its garbage was collected. */
    look: () => Promise.all(open.map(look)),
    /** Forgets what pages have done while they were opened. */
    reset: () =>
      Promise.all(
        open.map(async (tab) => {
          tab.bytes = 0;
          await tab.page.evaluate(() => {
            globalThis.benchSeen.updates = 0;
            globalThis.benchSeen.tasks.length = 0;
          });
        }),
      ),
    close: () => browser.close(),
  };
}

async function look({ name, page, session, bytes }) {
  const { updates, tasks } = await page.evaluate(() => globalThis.benchSeen);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  const { nodes } = await session.send("Memory.getDOMCounters");
  const isStale = await page.locator("main.stale").count();
  return { name, updates, tasks: [...tasks], bytes, heap: usedSize, nodes, isStale: isStale > 0 };
}
