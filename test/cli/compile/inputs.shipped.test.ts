import { spawnSync } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { everything } from "../../compiler/write/harness.js";
import { config, workplace } from "../harness.js";

it.runIf(existsSync("/dev/stdin"))(
  "compile does not overwrite a configuration that is redirected to standard input",
  () => {
    const cwd = workplace({ "subgraph.yaml": config() });
    const before = everything(cwd);
    const stdin = openSync(join(cwd, "subgraph.yaml"), "r");
    const args = [resolve("dist/cli/main.js"), "compile", "-", "--out", ".", "--force", "--no-cache"];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd, stdio: [stdin], encoding: "utf8" });
    closeSync(stdin);
    expect([status, stderr]).toEqual([1, expect.stringContaining("would overwrite:\n  subgraph.yaml\n")]);
    expect(everything(cwd)).toEqual(before);
  },
);
