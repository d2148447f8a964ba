import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { workplace } from "../../cli/harness.js";
import { smallestConfig } from "../../support/compiler/smallest-config.js";
import { everything } from "../write/harness.js";
import { abi } from "./harness.js";

const config = JSON.stringify(smallestConfig("A", { path: "abi.json" }));

/** A folder with a configuration, a second one in a subfolder, and a target that contains someone else's file. */
function folder(): string {
  return workplace({
    "c.json": config,
    "abi.json": JSON.stringify(abi),
    "elsewhere/abi.json": JSON.stringify(abi),
    "out/notes.txt": "theirs",
    "none.json/c.json": config,
  });
}

/** Runs the command line as a user other than root, who cannot read every file. */
function asNobody(cwd: string, line: string): Promise<{ readonly code: unknown; readonly err: string }> {
  const program = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
  const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
  return new Promise((resolve) => {
    execFile(process.execPath, [program, ...line.split(" ")], { cwd, ...nobody }, (error, _, err) =>
      resolve({ code: error ? error.code : 0, err }),
    );
  });
}

describe("without the permission to read or write,", () => {
  it.each([
    ["the configuration", "c.json", "config-unreadable"],
    ["an ABI", "abi.json", "abi-unreadable"],
  ])("%s is an error", async (_, path, code) => {
    const cwd = folder();
    chmodSync(cwd, 0o755);
    chmodSync(join(cwd, path), 0);
    const ended = await asNobody(cwd, "compile c.json --out out");
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining(`error[${code}]`) });
    expect(everything(join(cwd, "out"))).toEqual({ "notes.txt": "theirs" });
  });

  it.each([
    ["of the configuration", "none.json", "none.json/c.json", "config-unreadable"],
    ["of an ABI", "elsewhere", "elsewhere.json", "abi-unreadable"],
  ])("a folder %s is an error", async (_, locked, path, code) => {
    const cwd = folder();
    writeFileSync(join(cwd, "elsewhere.json"), config.replace("abi.json", "elsewhere/abi.json"));
    chmodSync(cwd, 0o755);
    chmodSync(join(cwd, locked), 0);
    const ended = await asNobody(cwd, `compile ${path} --out out`);
    chmodSync(join(cwd, locked), 0o755);
    expect(ended).toMatchObject({ code: 1, err: expect.stringContaining(`error[${code}]`) });
  });

  it("a target is an error", async () => {
    const cwd = folder();
    chmodSync(cwd, 0o755);
    mkdirSync(join(cwd, "theirs"));
    for (const path of ["theirs", "out"]) chmodSync(join(cwd, path), 0o555);
    for (const target of ["theirs", "theirs/x", "out"]) {
      const ended = await asNobody(cwd, `compile c.json --out ${target}`);
      expect(ended).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was written") });
    }
    expect(everything(join(cwd, "theirs"))).toEqual({});
    expect(everything(join(cwd, "out"))).toEqual({ "notes.txt": "theirs" });
  });
});
