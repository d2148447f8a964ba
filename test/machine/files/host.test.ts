import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import type { FileRead } from "../../../src/compiler/host.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { useFolder } from "../../support/folder.js";

const cwd = useFolder({ file: "abc", huge: "", "-": "not standard input" });
beforeAll(() => {
  mkdirSync(join(cwd, "folder"));
  truncateSync(join(cwd, "huge"), 2 ** 31);
  symlinkSync("file", join(cwd, "link"));
  symlinkSync("loop", join(cwd, "loop"));
  execFileSync("mkfifo", [join(cwd, "pipe")]);
});

const abc: FileRead = { kind: "bytes", bytes: Buffer.from("abc") };

test.each<[string, FileRead]>([
  ["file", abc],
  ["./folder/../file", abc],
  ["link", abc],
  ["folder", { kind: "directory" }],
  ["none", { kind: "missing" }],
  ["file/none", { kind: "missing" }],
  ["a\0b", { kind: "missing" }],
  ["x".repeat(10_000), { kind: "missing" }],
  ["loop", { kind: "endless-link" }],
  ["loop/file", { kind: "endless-link" }],
  ["pipe", { kind: "device" }],
  ["/dev/zero", { kind: "device" }],
  ["huge", { kind: "too-large", size: 2 ** 31 }],
])("readFile handles %j", async (path, want) => {
  expect(await createNodeHost({ cwd }).readFile(path, 3)).toEqual(want);
});

test("filesUnder lists a folder without links, hidden folders and node_modules", async () => {
  const root = join(cwd, "around");
  for (const folder of ["a/b", ".git", "node_modules/x"]) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["z", "a/y", "a/b/x", ".git/w", "node_modules/x/v"]) writeFileSync(join(root, file), "");
  symlinkSync("a", join(root, "link"));
  const look = createNodeHost({ cwd }).filesUnder;
  expect(await look?.("around", 2)).toEqual(["a/y", "z"]);
  expect(await look?.(root, 9)).toEqual(["a/b/x", "a/y", "z"]);
  expect(await look?.("nowhere", 9)).toEqual([]);
  expect(await look?.("file", 9)).toEqual([]);
});

describe("a host of one folder", () => {
  const inner = join(cwd, "inner");
  const host = createNodeHost({ cwd: inner, within: inner });
  beforeAll(() => {
    mkdirSync(join(inner, "deep"), { recursive: true });
    writeFileSync(join(inner, "own"), "abc");
    symlinkSync("../file", join(inner, "leaving"));
    symlinkSync("..", join(inner, "up"));
    symlinkSync("own", join(inner, "staying"));
    symlinkSync(join(inner, "own"), join(cwd, "entering"));
  });

  test.each<[string, FileRead]>([
    ["own", abc],
    ["staying", abc],
    ["deep/../own", abc],
    [join(inner, "own"), abc],
    // It leads back in.
    ["../entering", abc],
    ["up/inner/own", abc],
    ["none", { kind: "missing" }],
    ["deep/none/more", { kind: "missing" }],
    ["a\0b", { kind: "missing" }],
    ["../file", { kind: "outside" }],
    ["leaving", { kind: "outside" }],
    ["up/file", { kind: "outside" }],
    // Whether a file exists out there is not told.
    ["up/none", { kind: "outside" }],
    ["../none/more", { kind: "outside" }],
    ["../inner-other", { kind: "outside" }],
    ["/etc/passwd", { kind: "outside" }],
    ["/none/of/these", { kind: "outside" }],
    ["..", { kind: "outside" }],
  ])("readFile handles %j", async (path, want) => {
    expect(await host.readFile(path, 3)).toEqual(want);
  });

  test("lists nothing outside", async () => {
    expect(await host.filesUnder?.(".", 1)).toEqual(["own"]);
    expect(await host.filesUnder?.("..", 3)).toEqual([]);
    expect(await host.filesUnder?.("up", 3)).toEqual([]);
  });
});

test("readFile refuses a file one byte over the limit", async () => {
  expect(await createNodeHost({ cwd }).readFile("file", 2)).toEqual({ kind: "too-large", size: 3 });
});

describe("standard input", () => {
  async function* stream(...chunks: (string | Uint8Array)[]) {
    yield* chunks;
  }

  test("standard input is read to its end", async () => {
    const stdin = stream("a", Buffer.from("bc"));
    expect(await createNodeHost({ cwd, stdin }).readFile("-", 3)).toEqual(abc);
  });

  test("standard input is cut off at the limit", async () => {
    async function* endless() {
      for (;;) yield Buffer.alloc(1000);
    }
    const read = await createNodeHost({ cwd, stdin: endless() }).readFile("-", 10_000);
    expect(read).toEqual({ kind: "too-large", size: 11_000 });
  });

  test("standard input can be absent", async () => {
    expect(await createNodeHost({ cwd }).readFile("-", 3)).toEqual({ kind: "missing" });
  });
});

test.each([
  ["config.json", "abis/a.json", "abis/a.json"],
  ["x/config.json", "./a.json", "x/a.json"],
  ["x/config.json", "../a.json", "a.json"],
  ["/x/config.json", "../../a.json", "/a.json"],
  ["-", "abis/a.json", "abis/a.json"],
  ["config.json", "-", "./-"],
  ["x/c.json", "/a.json", "/a.json"],
])("beside %s, %s resolves to %s", (file, relative, want) => {
  expect(createNodeHost({ cwd }).resolveBeside(file, relative)).toBe(want);
});

test("packageSources reads graph-ts without its tests", async () => {
  const host = createNodeHost({ cwd });
  const sources = await host.packageSources("@graphprotocol/graph-ts");
  expect(sources.get("index.ts")).toContain("export");
  expect(sources.get("chain/ethereum.ts")).toContain("class Event");
  expect([...sources.keys()].filter((path) => /node_modules|test|^\/|\\/.test(path))).toEqual([]);
  expect(await host.packageSources("@graphprotocol/graph-ts")).toBe(sources);
});

test("packageSources rejects a package that is not installed", async () => {
  await expect(createNodeHost({ cwd }).packageSources("no-such-package")).rejects.toThrow("is not installed");
});
