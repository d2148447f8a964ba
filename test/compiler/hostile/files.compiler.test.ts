import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { compile } from "../../../src/machine/compiler/compile.js";
import { createNodeHost } from "../../../src/machine/files/host.js";
import { useFolder } from "../../support/folder.js";
import { expectSound } from "../property/properties.js";
import { abi, address, errorsOf } from "./harness.js";

const cwd = useFolder();
beforeAll(() => {
  mkdirSync(join(cwd, "inside"));
  writeFileSync(join(cwd, "abi.json"), JSON.stringify(abi));
  writeFileSync(join(cwd, "locked.json"), JSON.stringify(abi));
  chmodSync(join(cwd, "locked.json"), 0);
  writeFileSync(join(cwd, "secret"), "root:x:0:0:secret words");
  symlinkSync("../abi.json", join(cwd, "inside", "link.json"));
  symlinkSync("link.json", join(cwd, "inside", "twice.json"));
  symlinkSync("nowhere", join(cwd, "inside", "dangling.json"));
  symlinkSync("loop.json", join(cwd, "inside", "loop.json"));
  symlinkSync("..", join(cwd, "inside", "folder.json"));
  symlinkSync("/dev/zero", join(cwd, "inside", "zero.json"));
  symlinkSync("../secret", join(cwd, "inside", "secret.json"));
  execFileSync("mkfifo", [join(cwd, "inside", "pipe.json")]);
});

async function outcomeOf(path: string) {
  const config = {
    version: "1",
    abis: { A: { path } },
    instances: [{ abi: "A", address, startBlock: 1, chain: "mainnet" }],
  };
  writeFileSync(join(cwd, "inside", "c.json"), JSON.stringify(config));
  const outcome = await compile("inside/c.json", createNodeHost({ cwd }));
  expectSound(outcome);
  return outcome;
}

describe("an ABI file", () => {
  it.each([
    "../abi.json",
    "link.json",
    "./twice.json",
    "folder.json/abi.json",
  ])("%s is read", async (path) => {
    const { ok, files } = await outcomeOf(path);
    expect(ok).toBe(true);
    // The output must not reveal where the file was.
    for (const content of files.values()) expect(content).not.toContain(cwd);
  });

  it.each([
    "dangling.json",
    "loop.json",
    "folder.json",
    "zero.json",
    "pipe.json",
    "secret.json",
    ".",
    "link.json/x",
    "\0",
    "x".repeat(5000),
    "/dev/stdin",
    "/dev/tty",
    "/proc/self/environ",
    "/proc/self/mem",
    "file:///etc/passwd",
    "https://example.org/abi.json",
    "~/abi.json",
    "$HOME/abi.json",
    "`id`",
    "-",
  ])("%j is reported as a single error", async (path) => {
    const outcome = await outcomeOf(path);
    expect(errorsOf(outcome)).toHaveLength(1);
  });

  it("that is not readable is a single error, except for root", async () => {
    const isRoot = process.getuid?.() === 0;
    const outcome = await outcomeOf("../locked.json");
    expect(errorsOf(outcome)).toEqual(isRoot ? [] : ["abi-unreadable"]);
  });
});
