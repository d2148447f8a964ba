import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { onEither } from "../../../support/database/databases.js";
import { root } from "../../../support/docs/pages.js";
import { browserMissing, openBrowser } from "../../../support/server/browser.js";
import { startAll, takeAll } from "./all-pages.js";
import { startPictured } from "./pictured-server.js";
import { openThemed, takeWebp, themes } from "./take-picture.js";

/** What `npm run picture` asks for: to take the README's pictures again, or those of all pages into a folder. */
const isRenewed = process.env.GRAPHLOOM_PICTURE === "1";
const folderOfAll = process.env.GRAPHLOOM_PICTURE_ALL;

const folder = join(root, "docs/pictures");
const note = join(folder, "shown.json");
/** The pages in the README, and how many pixels of each are shown. */
const shown = [
  { name: "overview", path: "/", height: 800 },
  { name: "subgraph", path: "/dashboard/uniswap-v3/1.2.0", height: 1_000 },
] as const;
/** The most bytes of a picture. */
const largest = 120_000;

const databases = onEither();
let pages: Awaited<ReturnType<typeof startPictured>>;
let cookie: string;

async function signIn(key: string): Promise<string> {
  const address = `${pages.address}/sign-in?code=${pages.codes.issue(key)}`;
  const answer = await fetch(address, { redirect: "manual" });
  return answer.headers.get("set-cookie")?.split(";")[0] ?? "";
}

/** A text that changes with what a picture shows: with the markup of its page, and with the style. */
async function fingerprintOf(path: string): Promise<string> {
  const texts = [path, "/assets/style.css"].map(async (each) => {
    const answer = await fetch(pages.address + each, { headers: { cookie } });
    expect(answer.status).toBe(200);
    return answer.text();
  });
  return createHash("sha256")
    .update((await Promise.all(texts)).join("\n"))
    .digest("hex");
}

async function fingerprints(): Promise<Readonly<Record<string, string>>> {
  const all = shown.map(async ({ name, path }) => [name, await fingerprintOf(path)] as const);
  return Object.fromEntries(await Promise.all(all));
}

beforeAll(async () => {
  pages = await (folderOfAll === undefined ? startPictured : startAll)(await databases.fresh());
  cookie = await signIn("foreign");
});
afterAll(() => pages.stop());

describe("the README's pictures", () => {
  it.skipIf(isRenewed)("show the real pages", async () => {
    const { pictures } = JSON.parse(readFileSync(note, "utf8"));
    const why = "The pages have changed. Run `npm run picture` to take their pictures again.";
    expect(await fingerprints(), why).toEqual(pictures);
  });

  it.skipIf(isRenewed)("are in the README, light and dark, and small", () => {
    const readme = readFileSync(join(root, "README.md"), "utf8");
    for (const { name } of shown) {
      const files = themes.map((theme) => `docs/pictures/${name}-${theme}.webp`);
      for (const file of files) {
        expect(readme).toContain(`"${file}"`);
        expect(statSync(join(root, file)).size, file).toBeLessThan(largest);
      }
    }
  });

  it.skipIf(!isRenewed)("are taken", async () => {
    const browser = await openBrowser();
    mkdirSync(folder, { recursive: true });
    for (const theme of themes) {
      const { address } = pages;
      const page = await openThemed(browser, theme, { address, cookie, deviceScaleFactor: 2 });
      for (const { name, path, height } of shown) {
        await page.setViewportSize({ width: 1_080, height });
        await page.goto(address + path);
        await page.evaluate("document.fonts.ready");
        writeFileSync(join(folder, `${name}-${theme}.webp`), await takeWebp(page));
      }
    }
    await browser.close();
    const told = "Changes with the pages in the pictures. `npm run picture` writes it.";
    writeFileSync(note, `${JSON.stringify({ $comment: told, pictures: await fingerprints() }, null, 2)}\n`);
  });
});

describe.skipIf(folderOfAll === undefined || browserMissing !== undefined)("pictures of all pages", () => {
  it("are taken, light and dark", { timeout: 1_200_000 }, async () => {
    const browser = await openBrowser();
    const among = process.env.GRAPHLOOM_PICTURE_AMONG ?? "";
    await takeAll(pages, signIn, browser, { folder: folderOfAll ?? "", among });
    await browser.close();
  });
});
