import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const program = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((path) =>
  existsSync(path),
);

/** Why no browser is available for tests; `undefined` when one is. */
export const browserMissing: string | undefined =
  program === undefined ? "skipped: no Chromium is installed (apt-get install chromium)" : undefined;

/** Starts a real browser that contacts only the servers that a test opens. */
export async function openBrowser(): Promise<Browser> {
  if (program === undefined) throw new Error(browserMissing);
  return chromium.launch({
    executablePath: program,
    args: [
      ...["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
      ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
    ],
  });
}
