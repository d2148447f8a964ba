import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compile } from "../../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { graphloom, workplace } from "../../cli/harness.js";
import { expectSound } from "../property/properties.js";
import { everything } from "../write/harness.js";
import { abi, address, errorsOf } from "./harness.js";

const config = JSON.stringify({
  version: "1",
  abis: { A: { path: "abi.json" } },
  instances: [{ abi: "A", address, startBlock: 1, chain: "mainnet" }],
});

/** A folder with invalid configurations of all kinds, and a target that contains someone else's file. */
function folder(): string {
  const cwd = workplace({
    "c.json": config,
    "abi.json": JSON.stringify(abi),
    "elsewhere/abi.json": JSON.stringify(abi),
    "out/notes.txt": "theirs",
    "none.json/c.json": config,
    "empty.json": "",
    "bytes.json": "\x7fELF\x01\x01\0",
  });
  symlinkSync("c.json", join(cwd, "link.json"));
  symlinkSync("../c.json", join(cwd, "elsewhere", "link.json"));
  symlinkSync("nowhere", join(cwd, "dangling.json"));
  symlinkSync("loop.json", join(cwd, "loop.json"));
  symlinkSync("ring2.json", join(cwd, "ring1.json"));
  symlinkSync("ring1.json", join(cwd, "ring2.json"));
  symlinkSync("/dev/zero", join(cwd, "zero.json"));
  symlinkSync("/dev/null", join(cwd, "null.json"));
  execFileSync("mkfifo", [join(cwd, "pipe.json")]);
  return cwd;
}

describe("a configuration behind a link", () => {
  it.each(["link.json", "elsewhere/link.json", "elsewhere/../link.json"])("%s is read", async (path) => {
    const { code, err } = await graphloom(folder(), `compile ${path} --out made`);
    expect([code, err]).toEqual([0, ""]);
  });
});

describe("an invalid configuration", () => {
  it.each([
    "dangling.json",
    "loop.json",
    "ring1.json",
    "zero.json",
    "null.json",
    "pipe.json",
    "none.json",
    "empty.json",
    "bytes.json",
    ".",
    "..",
    "/",
    "/dev/zero",
    "/dev/full",
    "/dev/stdin/x",
    "/proc/self/mem",
    "/proc/self/environ",
    "/etc/passwd",
    "c.json/x",
    "x".repeat(5000),
    "file:///etc/passwd",
  ])("%s is an error, and the target does not change", async (path) => {
    const cwd = folder();
    const list = (): string => JSON.stringify(everything(join(cwd, "out")));
    const before = list();
    const { code, err, writing } = await graphloom(cwd, `compile ${path} --out out`);
    expect([code, writing]).toEqual([1, []]);
    expect(err).toMatch(/^error\[[\w-]+\]: /);
    expect(err).not.toMatch(/E[A-Z]{4,}:|\n {4}at /);
    expect(list()).toBe(before);
  });
});

describe("a target that is not a folder", () => {
  const lines = ["c.json", "loop.json", "dangling.json/x", "pipe.json", "null.json", "zero.json", "c.json/x"];
  it.each(lines)("%s is refused and does not change", async (target) => {
    const cwd = folder();
    const { code, err } = await graphloom(cwd, `compile c.json --out ${target}`);
    expect(code).toBe(1);
    expect(err).toMatch(/Nothing was written|would be overwritten/);
    expect(err).not.toMatch(/\n {4}at /);
    expect(await graphloom(cwd, "check c.json")).toMatchObject({ code: 0 });
  });
});

it("a host that can read no file gives a single error", async () => {
  const host = { ...createNodeHost({ cwd: "/" }), readFile: async () => ({ kind: "unreadable" }) as const };
  const outcome = await compile("c.json", host);
  expectSound(outcome);
  expect(errorsOf(outcome)).toEqual(["config-unreadable"]);
});
