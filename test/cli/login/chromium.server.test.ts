import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { SQL } from "../../../src/store/database/database.js";
import { plant } from "../../support/folder.js";
import { browserMissing, openBrowser, type TestBrowser } from "../../support/server/browser.js";
import { until } from "../../support/until.js";
import { pageIn, useMachine, usePeople } from "./people-server.js";

const people = usePeople();
const password = "correct horse battery";

describe.skipIf(browserMissing !== undefined)("graphloom login with a real browser", () => {
  let browser: TestBrowser;
  let page: Page;
  const complaints: string[] = [];

  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    page = await browser.newPage();
    page.on("console", (message) => message.type() === "error" && complaints.push(message.text()));
    page.on("pageerror", (error) => complaints.push(error.message));
  });
  afterEach(() => page.close());

  const somebody = async (name: string) => {
    const person = await people().person(name, { [await people().project("Pools")]: "Editor" });
    await people().choosePassword(person, password);
    return person;
  };
  const signIn = async (address: string, email: string) => {
    await page.goto(address);
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
  };

  /** Starts a login on a separate machine. @param ask answers the question for a code */
  const begin = (ask: () => Promise<string | undefined>, flags = "") => {
    let said = "";
    const ended = useMachine().run(`login${flags} --api-url ${people().platform.url}`, {
      ask,
      onErr(text) {
        said += text;
      },
    });
    return { ended, address: () => until(() => pageIn(said)) };
  };
  const neverAsked = async () => expect.unreachable();
  /** The code that the page shows after the person allows the login. */
  const codeFor = async (address: string, email: string) => {
    await signIn(address, email);
    await page.getByRole("button", { name: "Allow" }).click();
    return (await page.locator("#code").textContent()) ?? "";
  };

  it("opens the browser and receives the code without further input", async () => {
    const ann = await somebody("ann");
    const { url } = people().platform;
    const machine = useMachine();
    const opened = join(machine.home, "opened");
    plant(machine.home, {
      "bin/xdg-open": `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    });
    chmodSync(join(machine.home, "bin/xdg-open"), 0o755);
    const ended = machine.run(`login --api-url ${url}`, {
      ask: neverAsked,
      env: { PATH: `${join(machine.home, "bin")}:/usr/bin:/bin`, DISPLAY: ":0" },
    });
    await signIn(await until(() => existsSync(opened) && readFileSync(opened, "utf8")), ann.email);
    await page.getByRole("button", { name: "Allow" }).click();
    await page.getByText("You can close this page").waitFor();
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining(`as ${ann.email}.`) });
    const listed = await machine.run("project list");
    expect(listed.out).toMatch(/^Pools .* Editor +yes$/m);
    expect(complaints.filter((text) => !text.includes("favicon"))).toEqual([]);
  });

  it("accepts the code that the page shows, entered in the terminal", async () => {
    const bob = await somebody("bob");
    const login = begin(async () => codeFor(await login.address(), bob.email), " --no-browser");
    const { code, out } = await login.ended;
    expect([code, out]).toEqual([0, expect.stringContaining(`as ${bob.email}.`)]);
  });

  it("fails when the person denies access", async () => {
    const eve = await somebody("eve");
    const { ended, address } = begin(neverAsked);
    await signIn(await address(), eve.email);
    await page.getByRole("link", { name: "Deny" }).click();
    await page.getByText("Access was not granted").waitFor();
    expect(await ended).toMatchObject({ code: 3, err: expect.stringContaining("You denied the login.") });
  });

  it("continues waiting when a request carries the wrong state", async () => {
    const kim = await somebody("kim");
    const { ended, address } = begin(neverAsked);
    const asked = await address();
    const back = new URL(asked).searchParams.get("redirect_uri") ?? "";
    const forged = await page.goto(`${back}?code=glc_${"x".repeat(32)}&state=another`);
    expect(forged?.status()).toBe(400);
    await signIn(asked, kim.email);
    await page.getByRole("button", { name: "Allow" }).click();
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining(`as ${kim.email}.`) });
  });

  it("rejects a code that was used, belongs to a different login, or has expired", async () => {
    const lee = await somebody("lee");
    const { platform } = people().platform;
    const login = async (answer: (code: () => Promise<string>) => Promise<string>) => {
      const own = async () => {
        await page.context().clearCookies();
        return codeFor(await begun.address(), lee.email);
      };
      const begun = begin(() => answer(own), " --no-browser");
      return (await begun.ended).code;
    };
    let used = "";
    const keep = async (code: () => Promise<string>): Promise<string> => {
      used = await code();
      return used;
    };
    expect(await login(keep)).toBe(0);
    expect(await login(async () => used)).toBe(3);
    // This code is unused but belongs to a different login.
    await login(async (code) => {
      await keep(code);
      return "glc_none";
    });
    expect(await login(async () => used)).toBe(3);
    const late = await login(async (code) => {
      const own = await code();
      await platform.database.run(SQL`update graphloom.authorization_codes set expires_at = now()`);
      return own;
    });
    expect(late).toBe(3);
  });
});
