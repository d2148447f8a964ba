import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { browserMissing, openBrowser } from "../../support/browser.js";
import { plant } from "../../support/folder.js";
import { until } from "../../support/until.js";
import { pageIn, useMachine, usePeople } from "./people-server.js";

const people = usePeople();
const password = "correct horse battery";

describe.skipIf(browserMissing !== undefined)("graphloom login with a real browser", () => {
  let browser: Browser;
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
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await page.keyboard.press("Enter");
  };

  it("goes from the terminal to the browser and back by itself", async () => {
    const ann = await somebody("ann");
    const { url } = people().platform;
    const machine = useMachine();
    const opened = join(machine.home, "opened");
    plant(machine.home, {
      "bin/xdg-open": `#!/bin/sh\nprintf %s "$1" > "${opened}.part" && mv "${opened}.part" "${opened}"\n`,
    });
    chmodSync(join(machine.home, "bin/xdg-open"), 0o755);
    const ended = machine.run(`login --api-url ${url}`, {
      ask: async () => expect.unreachable(),
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

  it("takes the code from the page to the terminal", async () => {
    const bob = await somebody("bob");
    let said = "";
    const { code, out } = await useMachine().run(`login --no-browser --api-url ${people().platform.url}`, {
      onErr(text) {
        said += text;
      },
      ask: async () => {
        await signIn(pageIn(said) ?? "", bob.email);
        await page.getByRole("button", { name: "Allow" }).click();
        return (await page.locator("#code").textContent()) ?? undefined;
      },
    });
    expect([code, out]).toEqual([0, expect.stringContaining(`as ${bob.email}.`)]);
  });

  it("is told when somebody does not allow it", async () => {
    const eve = await somebody("eve");
    let said = "";
    const ended = useMachine().run(`login --api-url ${people().platform.url}`, {
      ask: async () => expect.unreachable(),
      onErr(text) {
        said += text;
      },
    });
    await signIn(await until(() => pageIn(said)), eve.email);
    await page.getByRole("link", { name: "Do not allow" }).click();
    await page.getByText("Nothing was allowed").waitFor();
    expect(await ended).toMatchObject({ code: 3, err: expect.stringContaining("You did not allow it.") });
  });

  it("waits on when the browser brings another state", async () => {
    const kim = await somebody("kim");
    let said = "";
    const ended = useMachine().run(`login --api-url ${people().platform.url}`, {
      ask: async () => expect.unreachable(),
      onErr(text) {
        said += text;
      },
    });
    const asked = await until(() => pageIn(said));
    const back = new URL(asked).searchParams.get("redirect_uri") ?? "";
    const forged = await page.goto(`${back}?code=glc_${"x".repeat(32)}&state=another`);
    expect(forged?.status()).toBe(400);
    await signIn(asked, kim.email);
    await page.getByRole("button", { name: "Allow" }).click();
    expect(await ended).toMatchObject({ code: 0, out: expect.stringContaining(`as ${kim.email}.`) });
  });

  it("takes no code that was used, was for another login, or is too old", async () => {
    const lee = await somebody("lee");
    const { url, platform } = people().platform;
    const login = async (answer: (code: () => Promise<string>) => Promise<string>) => {
      let said = "";
      const { code } = await useMachine().run(`login --no-browser --api-url ${url}`, {
        onErr(text) {
          said += text;
        },
        ask: () =>
          answer(async () => {
            await page.context().clearCookies();
            await signIn(pageIn(said) ?? "", lee.email);
            await page.getByRole("button", { name: "Allow" }).click();
            return (await page.locator("#code").textContent()) ?? "";
          }),
      });
      return code;
    };
    let used = "";
    const keep = async (code: () => Promise<string>): Promise<string> => {
      used = await code();
      return used;
    };
    expect(await login(keep)).toBe(0);
    expect(await login(async () => used)).toBe(3);
    // Nobody has used it, and another login has asked for it.
    await login(async (code) => {
      await keep(code);
      return "glc_none";
    });
    expect(await login(async () => used)).toBe(3);
    const late = await login(async (code) => {
      const own = await code();
      await platform.database.run("update graphloom.authorization_codes set expires_at = now()");
      return own;
    });
    expect(late).toBe(3);
  });
});
