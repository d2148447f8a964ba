import { describe, expect, it } from "vitest";
import { Pulse } from "../../../../src/pipelines/machine/quickjs/pulse.js";
import { ScriptSandbox } from "../../../../src/pipelines/machine/quickjs/sandbox.js";
import type { ScriptType } from "../../../../src/pipelines/script/script-engine.js";
import { rowsOf } from "../../../support/pipelines/row-objects.js";
import {
  outcomeOf,
  type RowObject,
  scriptInput,
  scriptProgram,
} from "../../../support/pipelines/script-outcome.js";

const limits = { memory: 32, rowTime: 20_000, batchTime: 60_000 };
const row: RowObject = { id: "a" };

/** What a script makes of rows, or why it fails. */
async function outcome(
  script: string,
  rows: readonly RowObject[] = [row],
  schema: Readonly<Record<string, ScriptType>> = { id: "string" },
): Promise<readonly RowObject[] | string> {
  const program = await scriptProgram(script, schema);
  const sandbox = await ScriptSandbox.open(program, limits, new Pulse());
  const answer = sandbox instanceof ScriptSandbox ? sandbox.run(rowsOf(scriptInput, rows)) : sandbox;
  return outcomeOf(answer, program.output);
}

describe("a script", () => {
  it("gets integers of any size as BigInt, and all other values unchanged", async () => {
    const shown =
      "[data.long, data.wide, data.exact, data.real, data.flag, data.time, data.list, data['__proto__']]";
    const script = `function invoke(data) {
      return { id: ${shown}.map((x) => typeof x + ':' + String(x)).join(' '), all: JSON.stringify(data) };
    }`;
    const given = {
      id: "ä€😀\ud800",
      long: 2n ** 63n - 1n,
      wide: String(2n ** 256n - 1n),
      exact: "1.50",
      real: Number.NEGATIVE_INFINITY,
      flag: true,
      time: 5n,
      list: ["x", "y"],
      ["__proto__"]: "p",
    };
    const made = await outcome(script, [given, row], { id: "string", all: "string" });
    const [first, second] = made as readonly RowObject[];
    expect(first?.id).toBe(
      `bigint:${2n ** 63n - 1n} bigint:${2n ** 256n - 1n} string:1.50 number:-Infinity boolean:true bigint:5 object:x,y string:p`,
    );
    expect(JSON.parse(String(first?.all))).toMatchObject({ id: given.id, long: String(given.long) });
    expect(second?.id).toBe(Array.from({ length: 8 }, () => "object:null").join(" "));
  });

  it("gets objects and lists of JSON as such, with exact integers", async () => {
    const script = `function invoke({ json }) {
      const large = Array.isArray(json) ? json.at(-1) : json?.large;
      return { id: [typeof json, json?.name, typeof large, String(large), json?.list?.[1]?.deep].join(" ") };
    }`;
    const texts = [
      `{"name":"Sent","large":${2n ** 256n - 1n},"list":["a",{"deep":"\\"9007199254740993"}]}`,
      '{"name":"#9007199254740993","large":-5}',
      '["a",9007199254740993,1e400]',
      '"text"',
      "not JSON",
    ];
    const rows = [...texts, null].map((json) => ({ json }));
    const made = (await outcome(script, rows)) as readonly RowObject[];
    expect(made.map(({ id }) => id)).toEqual([
      `object Sent bigint ${2n ** 256n - 1n} "9007199254740993`,
      "object #9007199254740993 number -5 ",
      "object  number Infinity ",
      "string  undefined undefined ",
      "string  undefined undefined ",
      "object  undefined undefined ",
    ]);
  });

  it("gives values of every type, and drops rows", async () => {
    const script = `const made = {
        a: { s: "ä\\u0000😀\\ud800", u: 2n ** 64n - 1n, i: -(2n ** 63n), f: 0.1, b: true, x: new Uint8Array([0, 171]), more: 1 },
        b: { s: null, u: null, i: null, f: null, b: null, x: null },
        c: { s: "", u: 5, i: -5, f: -1e300, b: false, x: "0xAB" },
      };
      function invoke(data) { return made[data.id] ?? null; }`;
    const rows = ["a", "dropped", "b", "c"].map((id) => ({ id }));
    const schema = { s: "string", u: "uint64", i: "int64", f: "float64", b: "boolean", x: "bytes" } as const;
    expect(await outcome(script, rows, schema)).toEqual([
      { s: "ä\0😀\ufffd", u: String(2n ** 64n - 1n), i: -(2n ** 63n), f: 0.1, b: true, x: "0x00ab" },
      { s: null, u: null, i: null, f: null, b: null, x: null },
      { s: "", u: "5", i: -5n, f: -1e300, b: false, x: "0xab" },
    ]);
  });

  it("accepts more rows than fit into one call", async () => {
    const ids = Array.from({ length: 5_000 }, (_, index) => String(index));
    const made = await outcome(
      "function invoke({ id }) { return Number(id) % 2 ? null : { id }; }",
      ids.map((id) => ({ id })),
    );
    expect(made).toEqual(ids.filter((id) => Number(id) % 2 === 0).map((id) => ({ id })));
  });

  it("give a BigInt for a column of type float64 if it is exact as one", async () => {
    const script = `function invoke({ id }) { return { x: id === "b" ? -(2n ** 60n) : 5n }; }`;
    expect(await outcome(script, [row, { id: "b" }], { x: "float64" })).toEqual([
      { x: 5 },
      { x: -(2 ** 60) },
    ]);
  });

  it.each<[string, ScriptType, string]>([
    ["undefined", "string", "column x is missing; give a value, or null"],
    ["1", "string", "column x is a number, not a string; write String(x)"],
    ["1n", "string", "column x is a bigint, not a string; write String(x)"],
    ["{}", "string", "column x is an object, not a string; write JSON.stringify(x)"],
    ["[]", "string", "column x is an array, not a string; write JSON.stringify(x)"],
    ["Symbol()", "string", "column x is a symbol, not a string; write String(x)"],
    ["() => 1", "boolean", "column x is a function, not a boolean; write Boolean(x)"],
    ["'1'", "int64", "column x is a string, not an int64; write BigInt(x)"],
    ["1.5", "int64", "column x is 1.5, which is not an integer"],
    ["NaN", "int64", "column x is not a number, which is not an integer"],
    ["2 ** 53", "int64", "column x is a number too large to be exact; compute it with BigInt"],
    ["2n ** 63n", "int64", "column x does not fit int64"],
    ["-1", "uint64", "column x does not fit uint64"],
    ["2n ** 53n + 1n", "float64", "column x is a bigint too large to be exact as a float64; write Number(x)"],
    ["2n ** 9000n", "float64", "column x is a bigint too large to be exact as a float64; write Number(x)"],
    ["1 / 0", "float64", "column x is not a finite number"],
    ["'abc'", "bytes", "column x is a string, but not of bytes in hex, such as 0x0a"],
    ["new Uint16Array(1)", "bytes", "column x is an object, not bytes; write a Uint8Array, or hex with 0x"],
  ])("cannot give %s for a column of type %s", async (value, type, message) => {
    const script = `function invoke({ id }) { return id === "b" ? { x: ${value} } : null; }`;
    expect(await outcome(script, [row, { id: "b" }], { x: type })).toBe(`1: ${message}`);
  });

  it.each([
    ["undefined", "invoke gives undefined; it must give an object, or null to drop the row"],
    ["'a'", "invoke gives a string; it must give an object, or null to drop the row"],
    ["[data]", "invoke gives an array; it must give an object, or null to drop the row"],
    ["Promise.resolve(data)", "invoke gives a promise, but a script cannot wait; write it without async"],
    ["(async () => data)()", "invoke gives a promise, but a script cannot wait; write it without async"],
  ])("cannot give %s in the place of a row", async (value, message) => {
    expect(await outcome(`function invoke(data) { return ${value}; }`)).toBe(`0: ${message}`);
  });

  it("an exception is reported with its row and its line", async () => {
    const script = `interface Row { id: string; none?: { name: string } }
      function invoke(data: Row) {
        return data.id === "b" ? { id: data.none.name } : data;
      }`;
    expect(await outcome(script, [row, { id: "b" }])).toMatch(/^1: TypeError: .* \(line 3 of the script\)$/);
    expect(await outcome("function invoke() { throw 'no'; }")).toBe('0: it throws "no"');
    const early = "const x = (null as any).x;\nfunction invoke(data) { return data; }";
    expect(await outcome(early)).toMatch(/^all: TypeError: .* \(line 1 of the script\)$/);
  });

  it.each([
    [
      "fills memory",
      "const all = []; while (all.length < 2e5) all.push('x'.repeat(1000) + all.length); return data;",
    ],
    ["makes a long text", "let s = 'x'; for (;;) s += s;"],
    ["makes a large buffer", "new ArrayBuffer(1e9);"],
    ["calls itself", "return invoke(data);"],
  ])("is refused when it %s", async (_, code) => {
    expect(await outcome(`function invoke(data) { ${code} }`)).toMatch(
      /^0: (?:it needs more than 32 MB of memory|it calls itself too deeply|InternalError: string too long.*)$/,
    );
  });
});

describe("a script that reaches for the host", () => {
  it.each([
    "typeof process + typeof require + typeof fetch + typeof console + typeof setTimeout + typeof performance",
    "typeof (0, eval)('this').process + typeof Function('return this')().require",
    "typeof invoke.constructor.constructor('return this')().process",
    "typeof data.constructor.constructor('return this')().process",
    "typeof Object.getPrototypeOf(function* () {}).constructor('return this')().next().value.process",
    "typeof WeakRef + typeof FinalizationRegistry",
  ])("finds nothing: %s", async (expression) => {
    const [made] = (await outcome(
      `function invoke(data) { return { id: ${expression} }; }`,
    )) as readonly RowObject[];
    expect(String(made?.id).replaceAll("undefined", "")).toBe("");
  });

  it.each([
    "Math.random()",
    "Date.now()",
    "String(new Date())",
    "Date()",
    "String(new (new Date(0)).constructor())",
    "String(new (class extends Date {})())",
    "String(Reflect.construct(Date, []))",
  ])("has neither a clock nor random numbers: %s", async (expression) => {
    expect(await outcome(`function invoke() { return { id: ${expression} }; }`)).toMatch(
      /^0: TypeError: .* gives another result each time; use the columns of the row/,
    );
  });

  it("changes only its own rows when it replaces built-in functions", async () => {
    const script = `const names = Object.getOwnPropertyNames;
      const all = [Object, Array, String, Number, BigInt, JSON, Reflect, Uint8Array, Int32Array, Promise, Function];
      const replaced = () => { throw new Error("reached"); };
      for (let at = 0, end = all.length; at < end; at += 1)
        if (all[at].prototype) all[end + at] = all[at].prototype;
      for (let at = 0; at < all.length; at += 1) {
        const list = all[at] ? names(all[at]) : [];
        for (let place = 0; place < list.length; place += 1)
          if (list[place] !== "prototype") try { all[at][list[place]] = replaced; } catch {}
      }
      globalThis.BigInt = globalThis.JSON = globalThis.String = undefined;
      function invoke(data) { return { id: data.id, long: data.long }; }`;
    const rows = [{ id: "ä", long: 5n }];
    expect(await outcome(script, rows, { id: "string", long: "int64" })).toEqual(rows);
  });
});
