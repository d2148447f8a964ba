import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { event } from "../../compiler/abi/entries.js";
import { testFolder } from "../../support/folder.js";
import { config } from "../harness.js";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
/** A configuration that takes many seconds to compile, and is larger than the buffer of a pipe. */
const large = config({
  abis: {
    Token: Array.from({ length: 8_000 }, (_, index) =>
      event(`Event${index}`, "address from", "uint256 value"),
    ),
  },
});

it.each([
  [["check", "-", "--no-cache"], "SIGINT"],
  [["check", "-", "--no-cache"], "SIGTERM"],
  [["subgraph", "init", "pools/1.0.0", "--from-config", "-", "--build", "--no-cache"], "SIGINT"],
] as const)("a signal ends a compilation at once and leaves no files: %j %s", async (words, signal) => {
  const cwd = testFolder();
  const child = spawn(process.execPath, [main, ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: testFolder() },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  // Once the process has read the configuration, it is compiling.
  child.stdin.write(large, () => child.kill(signal));
  expect(await once(child, "close")).toEqual([null, signal]);
  expect(printed).toBe("");
  expect(readdirSync(cwd)).toEqual([]);
});
