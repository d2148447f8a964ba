import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { event } from "../../compiler/abi/entries.js";
import { testFolder } from "../../support/folder.js";
import { config } from "../harness.js";

const main = fileURLToPath(new URL("../../../dist/cli/main.js", import.meta.url));
/** It takes many seconds to compile, and is longer than a pipe holds. */
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
] as const)("ends at once while it compiles, and leaves nothing: %j %s", async (words, signal) => {
  const cwd = testFolder();
  const child = spawn(process.execPath, [main, ...words], {
    cwd,
    env: { PATH: process.env.PATH ?? "", HOME: testFolder() },
    stdio: ["pipe", "pipe", "pipe"],
  });
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (printed += text));
  // Whoever has read the configuration is compiling it.
  child.stdin.write(large, () => child.kill(signal));
  expect(await once(child, "close")).toEqual([null, signal]);
  expect(printed).toBe("");
  expect(readdirSync(cwd)).toEqual([]);
});
