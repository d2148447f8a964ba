import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { asc } from "../../support/compiler/asc.js";
import { findings, run, withHandler } from "./harness.js";

const calls = {
  total: { name: "total" },
  symbol: { name: "symbol" },
  needed: { name: "total", required: true },
};

/** A handler that stores one value. */
const storing = (type: string, value: string): object => ({
  calls,
  entities: { A: { [`a ${type}`]: value } },
});

/** The findings of `check` about a handler, with the start of each message. */
async function judged(handler: object): Promise<string[]> {
  const { ok, files, found, diagnostics } = await findings("check", withHandler(handler), { asc });
  if (found.some((line) => line.startsWith("error"))) expect([ok, files.size]).toEqual([false, 0]);
  return found.map(
    (line, index) => `${line.replace(/ \d+:\d+/, "")} | ${diagnostics[index]?.message.split(":")[0]}`,
  );
}

describe("a type error", () => {
  const value = "AssemblyScript rejects the value of A.a";
  it.each([
    [
      "an address for a text",
      storing("address", "event.params.who"),
      "event.params.who",
      value,
      "append .toHexString()",
    ],
    ["a number for a number", storing("uint256", "1"), "1", value, "write BigInt.fromI32(1)"],
    [
      "a null",
      storing("uint256", "calls.needed.plus(calls.total)"),
      "calls.total",
      value,
      /^mark call "total" as "required": true/,
    ],
    [
      "an unknown name",
      storing("uint256", "event.params.amount.plus(x)"),
      "x",
      value,
      /^use event \(or call\), entity/,
    ],
    [
      "an unknown member",
      storing("uint256", "event.params.amount.add(event.params.amount)"),
      "add",
      value,
      "write plus",
    ],
    [
      "inside an expression",
      storing("string", '"\\"" + event.params.amount'),
      "event.params.amount",
      value,
      "append .toString()",
    ],
    [
      "an id",
      { entities: { A: [{ id: "event.params.amount", mapping: { "b bool": "true" } }] } },
      "event.params.amount",
      "AssemblyScript rejects the id of A",
      "append .toString()",
    ],
    [
      "a source",
      { calls: { x: { name: "total", source: "event.params.amount" } }, entities: {} },
      "event.params.amount",
      "AssemblyScript rejects the source of call x",
      undefined,
    ],
    [
      "the second argument",
      { calls: { x: { name: "twice", params: "event.params.who, event.params.who" } }, entities: {} },
      "event.params.who",
      "AssemblyScript rejects argument 2 of call x",
      undefined,
    ],
    [
      "a condition",
      { calls: { x: { name: "total", conditions: { pre: "event.params.who.nobody" } } }, entities: {} },
      "nobody",
      "AssemblyScript rejects the condition before call x",
      undefined,
    ],
  ])("is reported at the wrong part: %s", async (_, handler, text, message, hint) => {
    const { ok, diagnostics, found } = await findings("check", withHandler(handler), { asc });
    expect(ok).toBe(false);
    expect(found.map((line) => line.replace(/7:\d+ /, ""))).toEqual([`error expression-type ${text}`]);
    expect(diagnostics[0]?.message.split(":")[0]).toBe(message);
    if (hint instanceof RegExp) expect(diagnostics[0]?.hint).toMatch(hint);
    else expect(diagnostics[0]?.hint).toBe(hint);
    expect(diagnostics[0]?.message).not.toMatch(/~lib|generated\//);
  });
});

describe("the column of a type error", () => {
  const config = (value: string): object => ({
    version: "1",
    abis: { A: [{ type: "event", name: "E", inputs: [{ name: "who", type: "address" }] }] },
    instances: [
      {
        abi: "A",
        address: "0x00000000000000000000000000000000000000a1",
        startBlock: 1,
        chain: "mainnet",
        enrich: { handlers: { E: { entities: { B: { "b string": value } } } } },
      },
    ],
  });
  /** An expression with quotes, backslashes and wide characters before its error. */
  const wrong = '"\\"" + "\\\\" + "é😀" + event.params.who.nobody';

  it.each([
    ["JSON", "c.json", JSON.stringify(config(wrong))],
    [
      "JSON with escapes",
      "c.json",
      JSON.stringify(config(wrong)).replace("é😀", "\\u00e9\\ud83d\\ude00").replace("nobody", "\\u006eobody"),
    ],
    ["JSON5", "c.json5", JSON.stringify(config("@")).replace('"@"', `'${wrong.replaceAll("\\", "\\\\")}'`)],
    ["YAML in double quotes", "c.yaml", stringify(config(wrong), { defaultStringType: "QUOTE_DOUBLE" })],
    ["YAML in single quotes", "c.yaml", stringify(config(wrong), { defaultStringType: "QUOTE_SINGLE" })],
    [
      "YAML in a folded block",
      "c.yaml",
      stringify(config(`${wrong}\n`), { defaultStringType: "BLOCK_FOLDED", lineWidth: 40 }),
    ],
    [
      "YAML in a literal block",
      "c.yaml",
      stringify(config(`\n\n  ${wrong}\n`), { defaultStringType: "BLOCK_LITERAL" }),
    ],
  ])("is right in %s", async (_, path, text) => {
    const { diagnostics } = await run("check", { [path]: text }, { asc });
    const written = text.includes("\\u006eobody") ? "\\u006eobody" : "nobody";
    const [found] = diagnostics;
    expect(diagnostics.map(({ code }) => code)).toEqual(["expression-type"]);
    expect(found?.at?.source.text.slice(found.at.start, found.at.end)).toBe(written);
    expect(found?.at?.start).toBe(text.indexOf(written));
    expect(found?.notes.join()).toContain("nobody");
  });
});

describe("an expression that crashes the compiler", () => {
  it.each([
    ["a comparison", "calls.total == calls.needed", "calls.total == calls.needed"],
    ["in the middle", "true && (calls.total > BigInt.zero() || false)", "calls.total > BigInt.zero()"],
    [
      "a transaction without receiver",
      "event.transaction.to == event.address",
      "event.transaction.to == event.address",
    ],
    ["a shift", "(event.params.amount >> 8) == calls.needed", "event.params.amount >> 8"],
  ])("is reported at its place: %s", async (_, value, text) => {
    const { ok, files, found, diagnostics } = await findings("check", withHandler(storing("bool", value)), {
      asc,
    });
    expect([ok, files.size, found.length]).toEqual([false, 0, 1]);
    expect(found[0]?.replace(/ 7:\d+/, "")).toBe(`error expression-crashes-compiler ${text}`);
    expect(diagnostics[0]?.message).toBe("the AssemblyScript compiler crashes on the value of A.a");
    expect(diagnostics[0]?.hint).toMatch(/^(?:test for null first|write event.params.amount.rightShift)/);
  });

  it("is reported with all others and with other errors", async () => {
    const entities = {
      A: { "a bool": "calls.total == calls.needed", "b uint256": "1", "c bool": "calls.total > calls.total" },
    };
    expect(await judged({ calls, entities })).toEqual([
      expect.stringMatching(/^error expression-crashes-compiler calls.total == calls.needed/),
      expect.stringMatching(/^error expression-type 1 /),
      expect.stringMatching(/^error expression-crashes-compiler calls.total > calls.total/),
    ]);
  });

  it("produces no WASM", async () => {
    const { ok, found } = await findings(
      "build",
      withHandler(storing("bool", "calls.total == calls.needed")),
      { asc },
    );
    expect([ok, found.length]).toEqual([false, 1]);
  });

  it("leaves the compiler usable for the next expression", async () => {
    expect(await judged(storing("bool", "calls.total === null"))).toEqual([]);
  });
});

describe("a comparison with null", () => {
  it.each([
    ["==", "===", "uint256", "calls.total == null ? event.params.amount : calls.total!"],
    ["!=", "!==", "bool", "event.transaction.to != null"],
  ])("with %s is compiled as %s", async (loose, strict, type, value) => {
    const { ok, files, found } = await findings("build", withHandler(storing(type, value)), { asc });
    expect(ok).toBe(true);
    expect(found.map((line) => line.replace(/ 7:\d+/, ""))).toEqual([`note null-comparison ${loose}`]);
    expect(files.get("src/vault.ts")).toContain(value.replace(loose, strict));
  });

  it("does not shift the errors behind it", async () => {
    const value = "calls.total == null && (calls.needed != null || event.params.amount.nobody)";
    expect(await judged(storing("bool", value))).toEqual([
      expect.stringContaining("note null-comparison =="),
      expect.stringContaining("note null-comparison !="),
      expect.stringContaining("error expression-type nobody |"),
    ]);
  });
});

describe("several errors", () => {
  it("are all reported, in source order", async () => {
    const handler = {
      calls: {
        x: { name: "balanceOf", params: "event.params.amount", conditions: { post: "result.value.nobody" } },
      },
      entities: { B: { "b uint256": "1", "a string": "2" }, A: { "a address": "event.params.who" } },
    };
    expect(await judged(handler)).toEqual([
      "error expression-type event.params.amount | AssemblyScript rejects argument 1 of call x",
      "error expression-type nobody | AssemblyScript rejects the condition after call x",
      "error expression-type 1 | AssemblyScript rejects the value of B.b",
      "error expression-type 2 | AssemblyScript rejects the value of B.a",
      "error expression-type event.params.who | AssemblyScript rejects the value of A.a",
    ]);
  });
});

describe("a function that graph-node does not provide", () => {
  it.each([
    ["BigInt.fromI64(Date.now())", "Date.now"],
    ["BigInt.fromI32(<i32>Math.random())", "Math.random"],
    ["BigInt.fromI64((Date).now())", "(Date).now"],
  ])("is reported: %s", async (value, name) => {
    for (const command of ["compile", "check", "build"] as const) {
      const { ok, found } = await findings(command, withHandler(storing("uint256", value)), { asc });
      expect(ok).toBe(false);
      expect(found.map((line) => line.replace(/ 7:\d+/, ""))).toEqual([`error unavailable-function ${name}`]);
    }
  });

  it("is found in the finished WASM when no name reveals it", async () => {
    const value = "BigInt.fromI64(((now: () => i64): i64 => now())(Date.now))";
    const { ok, found } = await findings("build", withHandler(storing("uint256", value)), { asc });
    expect(ok).toBe(false);
    expect(found.map((line) => line.replace(/ 7:\d+/, ""))).toEqual([
      `error unavailable-function "${value}"`,
    ]);
  });
});

describe("a value that may be null", () => {
  it.each([
    ["a call that is not required", storing("uint256", "calls.total"), []],
    ["a required call", storing("uint256", "calls.needed"), []],
    ["a null that is handled", storing("uint256", "calls.total === null ? BigInt.zero() : calls.total!"), []],
    ["a call in parentheses", storing("uint256", "(calls.total)"), []],
    ["a null behind a cast", storing("uint256", "(calls.total as BigInt | null)"), ["error expression-type"]],
    [
      "a null in a choice",
      storing("uint256", "true ? calls.total : calls.needed"),
      ["error expression-type"],
    ],
    [
      "the receiver of the transaction",
      storing("address", "event.transaction.to.toHexString()"),
      ["error expression-type"],
    ],
    ["null itself", storing("uint256", "null"), ["error expression-type"]],
  ])("is judged by its type: %s", async (_, handler, want) => {
    expect((await judged(handler)).map((line) => line.split(" ").slice(0, 2).join(" "))).toEqual(want);
  });
});
