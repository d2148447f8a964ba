import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { CredentialsError, createCredentialStore } from "../../../src/machine/logins/credentials.js";
import type { Login } from "../../../src/machine/logins/stored-logins.js";
import { testFolder } from "../../support/folder.js";

let home: string;
beforeEach(() => {
  home = testFolder();
});

const credentials = {
  apiUrl: "https://a.example/api/v1",
  logins: new Map<string, Login>([
    ["https://a.example/api/v1", { token: "secret-1", kind: "key" }],
    [
      "https://b.example/api/v1",
      {
        token: "secret-2",
        kind: "user",
        email: "ann@example.com",
        project: { id: "project_1", name: "Pools" },
      },
    ],
    ["https://c.example/api/v1", { token: "secret-3", kind: "user" }],
  ]),
};

function modeOf(path: string): number {
  return statSync(path).mode & 0o777;
}

describe("credentials", () => {
  it("are stored in .config or in XDG_CONFIG_HOME", () => {
    expect(createCredentialStore({ HOME: home }).path).toBe(join(home, ".config/graphloom/credentials.json"));
    expect(createCredentialStore({ HOME: home, XDG_CONFIG_HOME: "/x" }).path).toBe(
      "/x/graphloom/credentials.json",
    );
  });

  it.runIf(existsSync("/proc/self"))("cannot be written when no folder can be created", async () => {
    const store = createCredentialStore({ HOME: home, XDG_CONFIG_HOME: "/proc/none/x" });
    await expect(store.write(credentials)).rejects.toThrow(CredentialsError);
  });

  it("are read as they were written", async () => {
    const store = createCredentialStore({ HOME: home });
    expect(await store.read()).toEqual({ logins: new Map() });
    await store.write(credentials);
    expect(await store.read()).toEqual(credentials);
  });

  it("can only be read by their owner, and leave no other file", async () => {
    const store = createCredentialStore({ HOME: home });
    await store.write(credentials);
    await store.write(credentials);
    expect(modeOf(store.path)).toBe(0o600);
    expect(modeOf(dirname(store.path))).toBe(0o700);
    expect(readdirSync(dirname(store.path))).toEqual(["credentials.json"]);
  });

  it("become private again when others could read them", async () => {
    const store = createCredentialStore({ HOME: home });
    await store.write(credentials);
    chmodSync(store.path, 0o644);
    await store.read();
    expect(modeOf(store.path)).toBe(0o600);
  });

  it("are still read from a file of the first version, which only held keys", async () => {
    const store = createCredentialStore({ HOME: home });
    mkdirSync(dirname(store.path), { recursive: true });
    const old = { apiUrl: "https://a.example", tokens: { "https://a.example": "secret-1", x: 5 } };
    writeFileSync(store.path, JSON.stringify(old));
    expect(await store.read()).toEqual({
      apiUrl: "https://a.example",
      logins: new Map([["https://a.example", { token: "secret-1", kind: "key" }]]),
    });
  });

  it("leave no file when the last token is removed", async () => {
    const store = createCredentialStore({ HOME: home });
    await store.write(credentials);
    await store.write({ logins: new Map() });
    expect(readdirSync(dirname(store.path))).toEqual([]);
  });

  it.each([
    "",
    "{",
    "[]",
    '{"tokens":["secret-1"]}',
    '{"apiUrl":"secret-1"}',
    '{"version":2,"logins":["secret-1"]}',
    '{"version":3,"logins":{"secret-1":{}}}',
  ])("a file with %j is refused without being quoted", async (text) => {
    const store = createCredentialStore({ HOME: home });
    mkdirSync(dirname(store.path), { recursive: true });
    writeFileSync(store.path, text);
    const refusal = await store.read().catch((error: unknown) => error);
    expect(refusal).toMatchObject({ name: "CredentialsError" });
    expect(String(refusal)).toContain("log in again");
    expect(String(refusal)).not.toContain("secret");
    expect(readFileSync(store.path, "utf8")).toBe(text);
  });

  it("are refused when the file is a folder", async () => {
    const store = createCredentialStore({ HOME: home });
    mkdirSync(store.path, { recursive: true });
    await expect(store.read()).rejects.toThrow("is not a file");
    await expect(store.write(credentials)).rejects.toMatchObject({ name: "CredentialsError" });
    expect(readdirSync(dirname(store.path))).toEqual(["credentials.json"]);
  });

  it("are not read through a link, whose target stays unchanged", async () => {
    const store = createCredentialStore({ HOME: home });
    const target = join(home, "target.json");
    mkdirSync(dirname(store.path), { recursive: true });
    writeFileSync(target, '{"tokens":{}}', { mode: 0o644 });
    symlinkSync(target, store.path);
    await expect(store.read()).rejects.toThrow("is a symbolic link, which graphloom does not follow");
    await store.write(credentials);
    expect(lstatSync(store.path).isFile()).toBe(true);
    expect([modeOf(target), readFileSync(target, "utf8")]).toEqual([0o644, '{"tokens":{}}']);
  });

  it("are removed with the link, but not its target", async () => {
    const store = createCredentialStore({ HOME: home });
    const target = join(home, "target.json");
    mkdirSync(dirname(store.path), { recursive: true });
    writeFileSync(target, "mine");
    symlinkSync(target, store.path);
    await store.write({ logins: new Map() });
    expect(readdirSync(dirname(store.path))).toEqual([]);
    expect(readFileSync(target, "utf8")).toBe("mine");
  });

  it("are not read through a link in place of their folder", async () => {
    const store = createCredentialStore({ HOME: home });
    const elsewhere = join(home, "elsewhere");
    mkdirSync(elsewhere);
    mkdirSync(dirname(dirname(store.path)));
    writeFileSync(join(elsewhere, "credentials.json"), "mine", { mode: 0o644 });
    symlinkSync(elsewhere, dirname(store.path));
    const acts = [
      () => store.read(),
      () => store.write(credentials),
      () => store.write({ logins: new Map() }),
    ];
    for (const act of acts)
      await expect(act()).rejects.toThrow("graphloom is a symbolic link, which graphloom does not follow");
    expect(modeOf(join(elsewhere, "credentials.json"))).toBe(0o644);
    expect(readdirSync(elsewhere)).toEqual(["credentials.json"]);
  });

  it("do not block on a pipe", async () => {
    const store = createCredentialStore({ HOME: home });
    mkdirSync(dirname(store.path), { recursive: true });
    execFileSync("mkfifo", [store.path]);
    await expect(store.read()).rejects.toThrow("is not a file");
    await store.write({ logins: new Map() });
    expect(readdirSync(dirname(store.path))).toEqual([]);
  });

  it("report a folder that cannot be created", async () => {
    writeFileSync(join(home, ".config"), "");
    const store = createCredentialStore({ HOME: home });
    expect(await store.read()).toEqual({ logins: new Map() });
    await expect(store.write(credentials)).rejects.toMatchObject({
      name: "CredentialsError",
      message: `${store.path} cannot be written (ENOTDIR).`,
    });
  });
});
