import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { warnOfPlainText } from "../../../src/cli/remote/session.js";
import { memoryTerminal } from "../memory-terminal.js";
import { type Api, deployed, useApi } from "../remote/harness.js";

const api = useApi();

const unnamed = { env: { GRAPHLOOM_API_URL: "", GRAPHLOOM_TOKEN: "" } };

/** Replaces the credential store. @returns its path */
function storeOf({ home }: Api, put: (path: string) => void): string {
  const path = join(home, ".config/graphloom/credentials.json");
  mkdirSync(dirname(path), { recursive: true });
  put(path);
  return path;
}

const unusable = [
  ["corrupt", (path: string) => writeFileSync(path, "{")],
  ["a link", (path: string) => symlinkSync("nowhere", path)],
] as const;

describe.each(unusable)("a credential store that is %s", (_, put) => {
  it("does not matter when the token is given", async () => {
    const all = await api();
    storeOf(all, put);
    const line = `subgraph list --token ${all.server.token} --api-url ${all.server.url}`;
    expect(await all.run(line, unnamed)).toMatchObject({ code: 0, err: "" });
    expect(await all.run("subgraph list")).toMatchObject({ code: 0, err: "" });
  });

  it("is reported when it is needed, and logout removes it", async () => {
    const all = await api();
    const path = storeOf(all, put);
    const needed = await all.run("subgraph list", unnamed);
    expect(needed.code).toBe(1);
    expect(needed.err).toContain("Remove it with graphloom logout, then log in again");
    expect(await all.run("logout", unnamed)).toMatchObject({
      code: 0,
      out: `${path} was unusable, so it was removed with every token in it.\n`,
    });
    expect(existsSync(path)).toBe(false);
    const login = `login --token ${all.server.token} --api-url ${all.server.url}`;
    expect((await all.run(login, unnamed)).code).toBe(0);
    expect((await all.run("subgraph list", unnamed)).code).toBe(0);
  });
});

it("a command does not read the credential store if the command has its own token", async () => {
  const all = await api();
  await deployed(all, "pools", "1.0.0");
  const path = storeOf(all, (at) => writeFileSync(at, "mine"));
  chmodSync(path, 0o644);
  await all.run("subgraph list");
  expect(readFileSync(path, "utf8")).toBe("mine");
});

it("a folder that cannot be created is an error, not a crash", async () => {
  const all = await api();
  writeFileSync(join(all.home, ".config"), "");
  const { code, err } = await all.run(`login --token ${all.server.token}`, { env: { GRAPHLOOM_TOKEN: "" } });
  expect([code, err]).toEqual([
    1,
    `${join(all.home, ".config/graphloom/credentials.json")} cannot be written (ENOTDIR).\n`,
  ]);
});

describe("a token over plain http", () => {
  const said = (url: string): string => {
    const terminal = memoryTerminal();
    warnOfPlainText(url, terminal);
    return terminal.said();
  };

  it.each([
    "http://a.example/api",
    "http://192.168.0.7:8080",
    "http://localhost.example",
    "http://[2001:db8::1]",
  ])("causes a warning if it goes to a different machine: %s", (url) => {
    expect(said(url)).toBe(
      `The token goes to ${new URL(url).host} unencrypted, so anyone along the way can read it. Use https:// if you can.\n`,
    );
  });

  it.each([
    "https://a.example",
    "http://localhost:3000",
    "http://api.localhost",
    "http://127.8.0.1",
    "http://0x7f.1",
    "http://[::1]:80",
  ])("causes no warning if it stays on this machine or is encrypted: %s", (url) => {
    expect(said(url)).toBe("");
  });

  it("causes the warning before it is sent", async () => {
    const all = await api();
    const { err } = await all.run("subgraph list", {
      env: { GRAPHLOOM_API_URL: "http://nowhere.invalid/api/v1" },
    });
    expect(err).toMatch(/^The token goes to nowhere\.invalid unencrypted/);
  });
});
