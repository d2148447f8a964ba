// Makes examples/demo/screen.png, the picture in the README: the dashboard of `graphloom dev --demo`.
// Needs Chromium, and script(1), which gives the command a terminal: only there it prints an address that signs in.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const path = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const [target = path("examples/demo/screen.png"), colorScheme = "light"] = process.argv.slice(2);
const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync,
);
if (!executablePath) throw new Error("there is no Chromium: apt-get install chromium");

const line = `${process.execPath} ${path("dist/cli/main.js")} dev --demo --port 0`;
const dev = spawn("script", ["-qec", line, "/dev/null"], { stdio: ["ignore", "pipe", "inherit"] });
let said = "";
const address = await new Promise((resolve, reject) => {
  dev.stdout.setEncoding("utf8").on("data", (text) => {
    said += text;
    const found = /http:\/\/[\w.:]+\/sign-in\?code=[\w-]+(?=\s)/.exec(said);
    if (found) resolve(found[0]);
  });
  dev.once("exit", (code) => reject(new Error(`dev ended with ${code}: ${said}`)));
});
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
try {
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 }, colorScheme });
  await page.goto(address);
  await page.locator("main a").first().click();
  // It has caught up, and shows entities.
  await page.getByText("synced").first().waitFor({ timeout: 120_000 });
  await page.waitForTimeout(6_000);
  await page.reload();
  await page.screenshot({ path: target });
} finally {
  await browser.close();
  dev.kill("SIGTERM");
}
