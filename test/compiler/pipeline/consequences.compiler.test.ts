import { describe, expect, it } from "vitest";
import { event, fn } from "../abi/entries.js";
import { address, findings, withHandler } from "./harness.js";

/** What follows from a fault that is reported is not reported. */
describe("nothing is said that only follows", () => {
  it.each<[string, object, string]>([
    ["from an unknown function", { name: "balanceOff" }, "unknown-function"],
    ["from a wrong number of arguments", { name: "balanceOf" }, "wrong-argument-count"],
    ["from an unknown ABI", { abi: "Vualt", name: "total" }, "unknown-abi"],
    ["from an unfinished argument", { name: "balanceOf", params: "event." }, "expression-syntax"],
    ["from a wrong key", { name: "total", requird: true }, "unknown-key"],
    ["from a missing key", {}, "missing-key"],
    ["from a wrong value", { name: 1 }, "wrong-type"],
  ])("%s, about those who use the call", async (_, call, code) => {
    const handler = {
      calls: { x: call, y: { name: "total", depends_on: ["x"], conditions: { pre: "!calls.x_reverted" } } },
      entities: { A: { "a uint256": "calls.x" } },
    };
    const { found } = await findings("compile", withHandler(handler));
    expect(found.map((line) => line.split(" ")[1])).toEqual([code]);
  });

  it("but other faults of the same call are", async () => {
    const x = { name: "balanceOff", params: "event.params.how", source: "calls.y", depends_on: ["z"] };
    const { found } = await findings("compile", withHandler({ calls: { x } }));
    expect(found.map((line) => line.split(" ")[1]).sort()).toEqual([
      "unknown-call",
      "unknown-call",
      "unknown-function",
      "unknown-parameter",
    ]);
  });

  const abis = {
    A: [event("ToB", "address b"), event("ToC", "address c")],
    B: [event("ToC", "address c")],
    C: [event("E")],
  };
  const dataSource = { abi: "A", address, startBlock: 1, chain: "mainnet" };
  const template = (abi: string, from: string, eventSignature: string): object => ({
    abi,
    source: { abi: from, eventSignature, addressParam: abi.toLowerCase() },
  });
  const about = async (instances: readonly object[], declared: object = abis): Promise<readonly string[]> => {
    const text = JSON.stringify({ version: "1", abis: declared, instances });
    return (await findings("compile", { "c.json": text })).found
      .filter((line) => !line.includes("unused-abi"))
      .map((line) => line.replace(/ \d+:\d+/, ""));
  };
  const unreached = template("C", "B", "ToC");

  it.each<[string, readonly object[], readonly string[]]>([
    ["nobody makes", [dataSource, unreached], ['error unreachable-template "B"']],
    [
      "one that is not made either makes",
      [template("B", "A", "ToB"), unreached],
      ['error unreachable-template "A"'],
    ],
    [
      "one with a wrong event makes",
      [dataSource, template("B", "A", "ToD"), unreached],
      ['error unknown-signature "ToD"'],
    ],
    [
      "a contract without a block makes",
      [{ ...dataSource, abi: "B", startBlock: undefined }, unreached],
      ["error missing-key {"],
    ],
    [
      "a contract of a mistyped ABI may make",
      [{ ...dataSource, abi: "b" }, unreached],
      ['error unknown-abi "b"'],
    ],
    [
      "a contract without an ABI may make",
      [{ ...dataSource, abi: undefined }, unreached],
      ["error missing-key {"],
    ],
  ])("about a template that %s", async (_, instances, want) => {
    expect(await about(instances)).toEqual(want);
  });

  it("about a handler of what a faulty ABI has lost", async () => {
    const enrich = { handlers: { Lost: { entities: {} } } };
    const A = [...abis.A, { type: "event", name: "Lost", inputs: [{}] }];
    expect(await about([{ ...dataSource, enrich }], { A })).toEqual(["error abi-entry {}"]);
  });

  it("about a handler of a function, while the setting that enables it is wrong", async () => {
    const enrich = { handlers: { poke: { entities: {} } } };
    const text = JSON.stringify({
      version: "1",
      enableCallHandlers: "true",
      abis: { A: [fn("poke", "nonpayable")] },
      instances: [{ ...dataSource, enrich }],
    });
    const { found } = await findings("compile", { "c.json": text });
    expect(found.map((line) => line.split(" ")[1])).toEqual(["wrong-type"]);
  });
});
