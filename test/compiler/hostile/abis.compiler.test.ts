// biome-ignore-all lint/suspicious/noTemplateCurlyInString: strings of AssemblyScript
import { describe, expect, it } from "vitest";
import { build } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { dataSourceOf, smallestConfig } from "../../support/compiler/smallest-config.js";
import type { JsonEntry, JsonParameter } from "../abi/abi-of.js";
import { event, fn } from "../abi/entries.js";
import { expectSound } from "../property/properties.js";
import { address, compiled, errorsOf } from "./harness.js";

const config = (abi: unknown, more: object = {}): object =>
  smallestConfig("A", abi, { instances: [dataSourceOf("A", more)], enableCallHandlers: true });

const plain = event("Plain", "uint256 amount");

function nested(depth: number, dimensions = ""): JsonParameter {
  let inner: JsonParameter = { name: "leaf", type: "uint256" };
  for (let level = 0; level < depth; level++)
    inner = { name: `s${level}`, type: `tuple${dimensions}`, components: [inner] };
  return inner;
}

describe("deep structs", () => {
  it.each([
    1, 20, 90, 200,
  ])("%i deep in an event, a call and a function give a result or errors", async (depth) => {
    for (const dimensions of ["", "[]", "[2]"]) {
      const deep = nested(depth, dimensions);
      const abi = [
        plain,
        event("Deep", deep),
        fn("deep", "nonpayable", [deep], [deep]),
        fn("get", "view", [], [deep]),
      ];
      const handlers = { Plain: { calls: { get: { name: "get" } }, entities: {} } };
      const outcome = await compiled(config(abi, { enrich: { handlers } }));
      expect(outcome.ok || errorsOf(outcome).length > 0).toBe(true);
    }
  });

  it.each([400, 1000])("%i deep give a result or errors", async (depth) => {
    await compiled(config([plain, event("Deep", nested(depth))]));
  });

  it("50 deep in an event and a function compile to WASM", async () => {
    const deep = nested(50);
    const text = JSON.stringify(
      config([plain, event("Deep", deep), fn("deep", "nonpayable", [deep], [deep])]),
    );
    const outcome = await build("c.json", memoryHost({ "c.json": text }), { asc });
    expect(errorsOf(outcome)).toEqual([]);
    expectSound(outcome);
  });

  it("a list of many dimensions gives a result or errors", async () => {
    for (const dimensions of [
      "[]".repeat(50),
      "[]".repeat(3000),
      "[9]".repeat(300),
      "[99999999999999999999]",
      "[0]",
    ])
      await compiled(config([plain, event("Many", { name: "x", type: `uint256${dimensions}` })]));
  });

  it("a configuration or an ABI of endless brackets is an error", async () => {
    const outcome = await compiled(config({ path: "d.json" }), { "d.json": "[".repeat(100_000) });
    expect(errorsOf(outcome)).not.toEqual([]);
  });
});

const names = [
  "",
  " ",
  "__proto__",
  "constructor",
  "toString",
  "x; PWNED(); //",
  "*/ PWNED /*",
  "`PWNED`",
  "${PWNED}",
  "a\nPWNED: b",
  "a\u2028PWNED",
  'a" PWNED "',
  "# PWNED",
  "x: PWNED",
  "{{PWNED}}",
  "../../PWNED",
  "PWNED\ud800",
  "PWNЕD",
  "PWNED\0",
  "1PWNED",
];

describe.each(names)("the name %j in an ABI", (name) => {
  const parameter: JsonParameter = { name, type: "uint256" };
  const tuple: JsonParameter = { name: "t", type: "tuple", components: [parameter] };
  const places: Readonly<Record<string, readonly JsonEntry[]>> = {
    event: [plain, { type: "event", name, inputs: [] }],
    function: [plain, { ...fn("f", "nonpayable"), name }],
    "event parameter": [plain, event("E", parameter)],
    "indexed event parameter": [plain, event("E", { ...parameter, indexed: true } as JsonParameter)],
    "function parameter": [plain, fn("f", "nonpayable", [parameter], [parameter])],
    component: [plain, event("E", tuple), fn("f", "nonpayable", [tuple], [tuple])],
    type: [plain, event("E", { name: "x", type: name })],
    "kind of entry": [plain, { ...plain, type: name } as unknown as JsonEntry],
    mutability: [plain, fn("f", name)],
  };
  it.each(Object.keys(places))("of an %s is an error, or has no effect elsewhere", async (place) => {
    const { files } = await compiled(config(places[place]));
    if (/^\w*$/.test(name)) return;
    // An ABI file repeats the name as a JSON string, which is correct. No other file may contain it.
    for (const [path, content] of files)
      if (!path.startsWith("abis/")) expect(content, path).not.toContain(name === " " ? "[ ]" : name);
  });
});

describe("very long names", () => {
  const long = "x".repeat(5000);
  it("of an event, parameters, a struct's components and a function give a result or errors", async () => {
    await compiled(config([event(long, `uint256 ${long}`)]));
    await compiled(config([plain, fn(long, "nonpayable", [`uint256 ${long}`], [`uint256 ${long}`])]));
    await compiled(
      config([event("E", { name: long, type: "tuple", components: [{ name: long, type: "uint256" }] })]),
    );
  });

  it("that start alike stay distinct", async () => {
    const outcome = await compiled(config([event(`${long}a`, "uint256 a"), event(`${long}b`, "uint256 b")]));
    expect(outcome.ok || errorsOf(outcome).length > 0).toBe(true);
  });
});

describe("look-alike names", () => {
  it("that differ only in case, in two ABIs, do not give equal paths", async () => {
    const both = await compiled({
      version: "1",
      abis: { Vault: [plain], vault: [plain], VAULT: [plain], "va ult": [plain], "va-ult": [plain] },
      instances: ["Vault", "vault", "VAULT", "va ult", "va-ult"].map((abi, index) => ({
        abi,
        address: `0x${"0".repeat(39)}${index + 1}`,
        startBlock: 1,
        chain: "mainnet",
      })),
    });
    expect(errorsOf(both)).toEqual([]);
  });

  it.each([
    "con",
    "NUL",
    "aux",
    "lpt1",
    "..",
    "-",
    " ",
    "mapping",
    "schema",
    "templates",
  ])("of an ABI named %j give safe paths", async (abi) => {
    await compiled({
      version: "1",
      abis: Object.fromEntries([[abi, [plain]]]),
      instances: [{ abi, address, startBlock: 1, chain: "mainnet" }],
    });
  });
});
