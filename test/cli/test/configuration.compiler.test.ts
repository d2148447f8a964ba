import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { plant } from "../../support/folder.js";
import { until } from "../../support/until.js";
import { graphloom, storing, workplace } from "../harness.js";

const token = `0x${"0".repeat(38)}a1`;
const holder = `0x${"0".repeat(38)}b2`;

/** A test that sends one transfer, and expects these notes. */
function transferTest(expected: readonly string[], more: object = {}): string {
  return JSON.stringify({
    name: "a transfer leaves a note",
    blocks: [
      {
        events: [
          {
            address: token,
            event: "Transfer(address from, address to, uint256 value)",
            params: { from: holder, to: holder, value: "7" },
          },
        ],
      },
    ],
    assertions: [{ query: "{ notes { text } }", expected: { notes: expected.map((text) => ({ text })) } }],
    ...more,
  });
}

it("test runs tests in JSON on a configuration, and again after every edit with --watch", async () => {
  const cwd = workplace();
  plant(cwd, {
    "subgraph.json": storing("event.params.value.toString()"),
    "tests/transfer.json": transferTest(["7"]),
    "tests/a.test.ts": "",
  });
  const stop = new AbortController();
  let [out, rounds] = ["", 0];
  const running = graphloom(cwd, "test --watch --coverage --junit tests/results.xml", {
    signal: stop.signal,
    onOut: (text) => {
      out += text;
    },
    onErr: (text) => {
      rounds += text.includes("] watching ") ? 1 : 0;
    },
  });
  const round = async (number: number): Promise<string> => {
    await until(() => rounds === number);
    const shown = out;
    out = "";
    return shown;
  };
  const first = await round(1);
  expect(first).toContain("All 1 tests passed!");
  expect(first).toMatch(/\nHandler '\w+' is tested\.\nTest coverage: 100\.0% \(1\/1 handlers\)\.\n/);
  writeFileSync(join(cwd, "subgraph.json"), storing('event.params.value.toString() + " sent"'));
  expect(await round(2)).toMatch(/\+ +"text": "7 sent"/);
  writeFileSync(join(cwd, "tests/transfer.json"), transferTest(["7 sent"]));
  expect(await round(3)).toContain("All 1 tests passed!");
  writeFileSync(join(cwd, "tests/more.json"), transferTest([]));
  expect(await round(4)).toContain("1 failed, 1 passed, 2 total");
  writeFileSync(join(cwd, "subgraph.json"), storing("event.params.value.divDecimal()"));
  expect(await round(5)).toContain("The subgraph cannot be built, so its tests cannot run.");
  rmSync(join(cwd, "tests/transfer.json"));
  rmSync(join(cwd, "tests/more.json"));
  await until(() => rounds >= 6);
  stop.abort();
  const { code, err } = await running;
  expect(err).toContain("tests/a.test.ts: tests in AssemblyScript are for a subgraph.yaml");
  expect(err).toContain("changed: tests/transfer.json\n");
  expect(code).toBe(130);
});

it("test runs each test of a configuration with several chains on the chain that it names", async () => {
  const cwd = workplace();
  const on = (chain: string, address = token) => ({ abi: "Token", address, startBlock: 1, chain });
  plant(cwd, {
    "subgraph.json": storing("(100 / (event.params.value.toI32() - 7)).toString()", [
      on("mainnet"),
      on("base", holder),
    ]),
    "tests/none.json": transferTest([]),
    "tests/other.json": transferTest([], { network: "gnosis" }),
    "tests/fails.json": transferTest([], { network: "mainnet" }),
    "tests/quiet.json": transferTest([], { network: "base" }),
  });
  const { code, out } = await graphloom(cwd, "test subgraph.json --coverage");
  expect(out).toContain(
    'The configuration is for mainnet and base. Say on which chain the test is: "network": "mainnet".',
  );
  expect(out).toContain("The test is on gnosis, but the configuration is for mainnet and base.");
  expect(out).toMatch(/failed in block 1: .*\n.*at subgraph\.json/);
  expect(out).toMatch(
    /source 'Token on mainnet':\nHandler '\w+' is tested\.\n.*\n\n.*'Token on base':\nHandler '\w+' is not tested\./,
  );
  expect([code, out]).toEqual([1, expect.stringContaining("3 failed, 1 passed, 4 total")]);
});

it("test refuses a configuration whose tests are all in AssemblyScript", async () => {
  const cwd = workplace();
  plant(cwd, { "subgraph.json": storing('"a"'), "tests/a.test.ts": "", "tests/b.test.ts": "" });
  const { code, err } = await graphloom(cwd, "test");
  expect([code, err]).toEqual([
    2,
    expect.stringContaining("tests/a.test.ts and 1 more: tests in AssemblyScript"),
  ]);
});
