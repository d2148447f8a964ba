import { chmodSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openBrowser } from "../../../src/machine/logins/open-browser.js";
import { testFolder } from "../../support/folder.js";

/** A folder with a program of this name that records its arguments, and the environment that finds it. */
function withProgram(name: string, code = 0) {
  const folder = testFolder({
    [name]: `#!/bin/sh\nprintf '%s\\n' "$@" > "${"$"}NOTED"\nexit ${code}\n`,
  });
  chmodSync(join(folder, name), 0o755);
  const noted = join(folder, "noted");
  return { noted, env: { PATH: `${folder}:/usr/bin:/bin`, NOTED: noted } };
}

const address = "https://a.example/authorize?state=$(touch%20x)&b=`id`;c|d'e";

describe("a browser", () => {
  it.each([
    ["linux", "xdg-open", []],
    ["darwin", "open", []],
    ["win32", "rundll32", ["url.dll,FileProtocolHandler"]],
  ] as const)("is opened on %s by %s, which gets the address as one argument", async (platform, name, words) => {
    const { noted, env } = withProgram(name);
    expect(await openBrowser(address, { ...env, DISPLAY: ":0" }, platform)).toBe(true);
    expect(readFileSync(noted, "utf8").split("\n")).toEqual([...words, new URL(address).href, ""]);
  });

  it("is reported when it cannot be opened", async () => {
    expect(await openBrowser(address, { ...withProgram("xdg-open", 3).env, DISPLAY: ":0" }, "linux")).toBe(
      false,
    );
    expect(await openBrowser(address, { PATH: testFolder(), DISPLAY: ":0" }, "linux")).toBe(false);
  });

  it("is not opened without a screen", async () => {
    const { noted, env } = withProgram("xdg-open");
    expect(await openBrowser(address, env, "linux")).toBe(false);
    expect(existsSync(noted)).toBe(false);
  });

  it.each([
    "file:///etc/passwd",
    "javascript:alert(1)",
    "--help",
    "",
    "ms-settings:x",
  ])("does not open %j", async (text) => {
    const { noted, env } = withProgram("xdg-open");
    expect(await openBrowser(text, { ...env, DISPLAY: ":0" }, "linux")).toBe(false);
    expect(existsSync(noted)).toBe(false);
  });
});
