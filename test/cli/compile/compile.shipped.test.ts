import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { graphloom, storing, workplace } from "../harness.js";

describe("the shipped program", () => {
  const main = resolve("dist/cli/main.js");
  const start = async (cwd: string, args: readonly string[]) => {
    try {
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, ...args], { cwd });
      return { code: 0, stdout, stderr };
    } catch (error) {
      return error as { code: number; stdout: string; stderr: string };
    }
  };

  it("runs as a process with the same output and exit codes", async () => {
    const cwd = workplace({ "c.json": storing('"x"'), "wrong.json": storing("event.params.value") });
    const good = await start(cwd, ["subgraph", "init", "x/1", "--from-config", "c.json", "--build"]);
    expect(good).toMatchObject({ code: 0, stderr: "" });
    expect(good.stdout).toMatch(/^Wrote x: \d+ files written\.\n/);
    expect(await graphloom(cwd, "compile c.json --out x --check --build")).toMatchObject({
      code: 1,
      err: expect.stringContaining("package.json"),
    });
    expect(await start(cwd, ["compile", "wrong.json", "--out", "y"])).toMatchObject({ code: 1, stdout: "" });
    expect(await start(cwd, ["nonsense"])).toMatchObject({ code: 2, stdout: "" });
    expect(readdirSync(cwd).sort()).toEqual(["c.json", "wrong.json", "x"]);
  });
});
