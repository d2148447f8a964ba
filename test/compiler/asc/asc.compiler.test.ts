import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ALLOWED_IMPORTS } from "../../../src/compiler/asc/allowed-imports.js";
import type { Asc, AscInput, AscOutput } from "../../../src/compiler/asc/asc.js";
import { inspectWasm } from "../../../src/compiler/asc/inspect-wasm.js";
import { startAsc } from "../../../src/machine/compiler/asc.js";
import { countKept } from "../../support/compiler/collected.js";
import { graphTs, handler, program, textAt } from "./harness.js";

let asc: Asc;
beforeAll(() => {
  asc = startAsc();
});
afterAll(() => asc.close());

/** Each message with the source text it is about, ready to compare. */
function said(input: AscInput, output: AscOutput) {
  if (output.kind === "compiled") return output.warnings.map((m) => [m.code, m.message, textAt(input, m.at)]);
  if (output.kind === "rejected") return output.messages.map((m) => [m.code, m.message, textAt(input, m.at)]);
  return output;
}

describe("a compiler that prepared itself while idle", () => {
  const input: AscInput = { ...handler("assert(event.logIndex.isZero());"), mode: "full" };
  const faulty = handler("let x: string = event.block.number;");

  test("gives the same result as one that did not", async () => {
    const cold = startAsc();
    const prepared = startAsc();
    try {
      const expected = [await cold.compile(input), await cold.compile(faulty)];
      prepared.prepare(graphTs);
      for (const pause of [1_000, 300, 0]) {
        await sleep(pause);
        expect([await prepared.compile(input), await prepared.compile(faulty)]).toEqual(expected);
      }
    } finally {
      await Promise.all([cold.close(), prepared.close()]);
    }
  });

  test("tolerates a library that does not parse", async () => {
    const broken = startAsc();
    try {
      broken.prepare(new Map([["index.ts", "export class {"]]));
      await sleep(500);
      expect(await broken.compile(handler("let x = event.block.number;"))).toMatchObject({
        kind: "compiled",
      });
    } finally {
      await broken.close();
    }
  });
});

describe("a valid program", () => {
  test("is checked without producing WASM", async () => {
    expect(await asc.compile(handler("let x = event.block.number.plus(BigInt.fromI32(1));"))).toEqual({
      kind: "compiled",
      warnings: [],
      types: [],
    });
  });

  test("compiles to a module with its handler and graph-node's runtime", async () => {
    const output = await asc.compile({ ...handler("assert(event.logIndex.isZero());"), mode: "full" });
    expect(output).toMatchObject({ kind: "compiled", warnings: [] });
    const { exports, imports } = inspectWasm((output as { wasm: Uint8Array }).wasm);
    expect(exports).toEqual(expect.arrayContaining(["handle", "allocate", "id_of_type", "memory", "_start"]));
    expect(imports.filter(({ name }) => !ALLOWED_IMPORTS.has(name))).toEqual([]);
  });

  test("keeps its warnings", async () => {
    const input = handler("let x: i32 = null; assert(x == 0);");
    const output = await asc.compile(input);
    expect(output).toMatchObject({
      kind: "compiled",
      warnings: [{ severity: "warning" }, { severity: "warning" }],
    });
    expect(said(input, output)).toEqual([
      ["AS226", "Expression resolves to unusual type 'usize'.", "src/mapping.ts: null"],
      [
        "AS201",
        "Conversion from type 'usize' to 'i32' will require an explicit cast when switching between 32/64-bit.",
        "src/mapping.ts: null",
      ],
    ]);
  });

  test("may import functions that graph-node lacks, and its imports show them", async () => {
    const output = await asc.compile({ ...handler("assert(Date.now() > 0);"), mode: "full" });
    const { imports } = inspectWasm((output as { wasm: Uint8Array }).wasm);
    expect(imports.filter(({ name }) => !ALLOWED_IMPORTS.has(name))).toEqual([
      { module: "Date", name: "now" },
    ]);
  });
});

describe("an invalid program", () => {
  const rows: [string, { given: AscInput; want: unknown[] }][] = [
    [
      "with a type error",
      {
        given: handler("let x: BigInt = 5;"),
        want: [["TS2322", "Type 'i32' is not assignable to type 'BigInt'.", "src/mapping.ts: 5"]],
      },
    ],
    [
      "with nested library types",
      {
        given: handler("let x: Map<string, Array<Bytes>> = event.address;"),
        want: [
          [
            "TS2322",
            "Type 'Address' is not assignable to type 'Map<string,Array<Bytes>>'.",
            "src/mapping.ts: event.address",
          ],
        ],
      },
    ],
    [
      "that uses a type declared in the project",
      {
        given: program({
          "src/mapping.ts":
            'import { Transfer } from "../generated/Tok/Tok";\nexport function handle(event: Transfer): void { event.nope; }\n',
          "generated/Tok/Tok.ts": "export class Transfer {}\n",
        }),
        want: [["TS2339", "Property 'nope' does not exist on type 'Transfer'.", "src/mapping.ts: nope"]],
      },
    ],
    [
      "with offsets after an emoji, a tab and CRLF",
      {
        given: handler('let s = "🦊";\r\n\tlet x: BigInt = true;'),
        want: [["TS2322", "Type 'bool' is not assignable to type 'BigInt'.", "src/mapping.ts: true"]],
      },
    ],
    [
      "with an error only a library sees, blaming the call",
      {
        given: handler("let names = [event.address]; names.sort();"),
        want: [">", "<"].map((operator) => [
          "TS2365",
          `Operator '${operator}' cannot be applied to types 'Address' and 'Address'. (in ~lib/util/sort.ts)`,
          "src/mapping.ts: names.sort()",
        ]),
      },
    ],
    [
      "with several errors",
      {
        given: handler("let a: i32 = event; let b = missing;"),
        want: [
          ["TS2322", "Type 'ethereum.Event' is not assignable to type 'i32'.", "src/mapping.ts: event"],
          ["TS2304", "Cannot find name 'missing'.", "src/mapping.ts: missing"],
        ],
      },
    ],
    [
      "that imports a file that does not exist",
      {
        given: handler("new Foo();\n}\nimport { Foo } from './foo';\nfunction rest(): void {"),
        want: [["TS6054", "File 'src/foo.ts' not found.", "src/mapping.ts: './foo'"]],
      },
    ],
    [
      "that imports a name its module does not export, naming the module",
      {
        given: program({
          "src/mapping.ts": 'import { B } from "./a";\nexport function handle(): void {}\n',
          "src/a.ts": "export function A(): void {}\n",
        }),
        want: [["TS2305", "Module 'src/a' has no exported member 'B'.", "src/mapping.ts: B"]],
      },
    ],
  ];
  test.each(rows)("%s is reported at its place", async (_, { given, want }) => {
    const output = await asc.compile(given);
    expect(output.kind).toBe("rejected");
    expect(said(given, output)).toEqual(want);
  });

  test("with syntax errors is not reported as compiled", async () => {
    const input = handler("let x = ;");
    for (const mode of ["check", "full"] as const) {
      const output = await asc.compile({ ...input, mode });
      expect(output.kind).toBe("rejected");
      expect(said(input, output)).toEqual([["TS1109", "Expression expected.", "src/mapping.ts: ;"]]);
    }
  });

  test("that declares a name twice shows both places", async () => {
    const input = program({
      "src/mapping.ts": "export function a(): void {}\nexport function a(): void {}\n",
    });
    const output = await asc.compile(input);
    expect(output).toMatchObject({
      kind: "rejected",
      messages: [{ code: "TS2300", at: { start: 45 }, related: { start: 16 } }],
    });
  });
});

describe("a compiler crash", () => {
  const rows: [string, { given: string; want: string }][] = [
    [
      "on a nullable operand of ==",
      { given: "assert(event.transaction.to == null);", want: "event.transaction.to == null" },
    ],
    ["on a shift by a literal", { given: "let x = event.logIndex >> 8;", want: "event.logIndex >> 8" }],
  ];
  test.each(rows)("%s is located, and the next program compiles", async (_, { given, want }) => {
    const input = handler(given);
    const output = await asc.compile(input);
    expect(output).toMatchObject({ kind: "crashed" });
    expect(textAt(input, "at" in output ? output.at : undefined)).toBe(`src/mapping.ts: ${want}`);
    expect(await asc.compile(handler("let x = 1;"))).toMatchObject({ kind: "compiled" });
  });

  test("inside binaryen carries its reason", async () => {
    const given = program({ "src/mapping.ts": "export function memory(): void {}\n" });
    expect(await asc.compile({ ...given, mode: "full" })).toEqual({
      kind: "crashed",
      message: "Fatal: Module::addExport: memory already exists",
    });
  });

  test("that exhausts the stack does not end the process", async () => {
    const deep = `let x = ${"(".repeat(100_000)}1${")".repeat(100_000)};`;
    expect(await asc.compile(handler(deep))).toMatchObject({ kind: "crashed" });
  });
});

test("the compiler stops a compilation that does not end", async () => {
  const endless = program({
    "src/mapping.ts":
      "class Entity extends Entity { constructor() { super(); this.set(1); } }\nexport function handle(): void { new Entity(); }\n",
  });
  expect(await asc.compile(endless, { timeoutSeconds: 2 })).toEqual({ kind: "hung", seconds: 2 });
  expect(await asc.compile(handler("let x = 1;"))).toMatchObject({ kind: "compiled" });
});

test("the compiler compiles programs one after the other when several are submitted at once", async () => {
  const good = handler("let x = 1;");
  const bad = handler("let x: BigInt = 1;");
  const outputs = await Promise.all([good, bad, good, bad].map((input) => asc.compile(input)));
  expect(outputs.map((output) => output.kind)).toEqual(["compiled", "rejected", "compiled", "rejected"]);
});

test("closing the compiler stops a running compilation", async () => {
  const closing = startAsc();
  const pending = expect(closing.compile(handler("let x = 1;"))).rejects.toThrow("closed");
  await new Promise((done) => setTimeout(done, 20));
  await closing.close();
  await pending;
  await expect(closing.compile(handler("let x = 1;"))).rejects.toThrow("closed");
});

test("the compiler does not keep compiled programs in memory", async () => {
  const input = handler("let x: BigInt = 1;");
  const outputs: WeakRef<object>[] = [];
  for (let round = 0; round < 4; round++) outputs.push(new WeakRef(await asc.compile(input)));
  await asc.compile(handler("let x = 1;"));
  expect(await countKept(outputs)).toBe(0);
});
