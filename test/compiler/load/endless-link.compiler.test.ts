import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { graphloom, workplace } from "../../cli/harness.js";

const instance = {
  abi: "A",
  address: "0x00000000000000000000000000000000000000a1",
  startBlock: 1,
  chain: "mainnet",
};

test("a link to itself is not reported as a permission error", async () => {
  const cwd = workplace({
    "c.json": JSON.stringify({ version: "1", abis: { A: { path: "a.json" } }, instances: [instance] }),
  });
  symlinkSync("loop.json", join(cwd, "loop.json"));
  symlinkSync("b.json", join(cwd, "a.json"));
  symlinkSync("a.json", join(cwd, "b.json"));
  const config = await graphloom(cwd, "check loop.json");
  expect([config.code, config.err]).toEqual([
    1,
    `error[config-unreadable]: "loop.json" is a circular symbolic link
  = hint: point the link to the file itself

1 error
`,
  ]);
  const abi = await graphloom(cwd, "check c.json");
  expect([abi.code, abi.err.split("\n")[0], /hint: .*/.exec(abi.err)?.[0]]).toEqual([
    1,
    'error[abi-unreadable]: the ABI file "a.json" is a circular symbolic link',
    "hint: point the link to the file itself",
  ]);
});
