import { describe, expect, it } from "vitest";
import { event, fn } from "../abi/entries.js";
import { address, findings, withHandler } from "./harness.js";

/** Consequences of a reported error are not reported. */
describe("findings that only follow from others", () => {
  it.each<[string, object, string]>([
    ["from an unknown function", { name: "balanceOff" }, "unknown-function"],
    ["from a wrong number of arguments", { name: "balanceOf" }, "wrong-argument-count"],
    ["from an unknown ABI", { abi: "Vualt", name: "total" }, "unknown-abi"],
    ["from an unfinished argument", { name: "balanceOf", params: "event." }, "expression-syntax"],
    ["from a wrong key", { name: "total", requird: true }, "unknown-key"],
    ["from a missing key", {}, "missing-key"],
    ["from a wrong value", { name: 1 }, "wrong-type"],
  ])("hides errors that follow %s in the uses of a call", async (_, call, code) => {
    const handler = {
      calls: { x: call, y: { name: "total", depends_on: ["x"], conditions: { pre: "!calls.x_reverted" } } },
      entities: { A: { "a uint256": "calls.x" } },
    };
    const { found } = await findings("compile", withHandler(handler));
    expect(found.map((line) => line.split(" ")[1])).toEqual([code]);
  });

  it("reports the other faults of the same call", async () => {
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
    ["nothing creates", [dataSource, unreached], ['error unreachable-template "B"']],
    [
      "only an unreachable template creates",
      [template("B", "A", "ToB"), unreached],
      ['error unreachable-template "A"'],
    ],
    [
      "a template with a wrong event creates",
      [dataSource, template("B", "A", "ToD"), unreached],
      ['error unknown-signature "ToD"'],
    ],
    [
      "a contract without a start block creates",
      [{ ...dataSource, abi: "B", startBlock: undefined }, unreached],
      ["error missing-key {"],
    ],
    [
      "a contract with a mistyped ABI may create",
      [{ ...dataSource, abi: "b" }, unreached],
      ['error unknown-abi "b"'],
    ],
    [
      "a contract without an ABI may create",
      [{ ...dataSource, abi: undefined }, unreached],
      ["error missing-key {"],
    ],
  ])("reports once a template that %s", async (_, instances, want) => {
    expect(await about(instances)).toEqual(want);
  });

  it("reports no handler whose event was lost to a faulty ABI", async () => {
    const enrich = { handlers: { Lost: { entities: {} } } };
    const A = [...abis.A, { type: "event", name: "Lost", inputs: [{}] }];
    expect(await about([{ ...dataSource, enrich }], { A })).toEqual(["error abi-entry {}"]);
  });

  it("reports no call handler while the setting that enables it is wrong", async () => {
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
