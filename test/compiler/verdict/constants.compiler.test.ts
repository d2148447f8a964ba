import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../../src/compiler/diagnostics/diagnostic.js";
import { renderText } from "../../../src/compiler/diagnostics/render-text.js";
import { build } from "../../../src/machine/compiler/compile.js";
import { asc } from "../../support/compiler/asc.js";
import { memoryHost } from "../../support/compiler/memory-host.js";
import { event } from "../abi/entries.js";
import { play } from "../behaviour/play.js";

/** Constant integer arithmetic, and the number that it stands for. */
interface Constant {
  readonly text: string;
  readonly value: bigint;
  /** Whether it and all of its parts fit into 32 bits. */
  readonly isSmall: boolean;
}

const isSmall = (value: bigint): boolean => BigInt.asIntN(32, value) === value;
const literals = ["0", "1", "2", "3", "10", "18", "40", "255", "256", "65536", "86400000"];
const large = ["2147483647", "2147483648", "4294967295", "0xffffffff", "1_000_000_000"];
const literal = fc.constantFrom(...literals, ...large).map((text): Constant => {
  const value = BigInt(text.replaceAll("_", ""));
  return { text, value, isSmall: isSmall(value) };
});

const operators: Readonly<Record<string, (a: bigint, b: bigint) => bigint | undefined>> = {
  "+": (a, b) => a + b,
  "-": (a, b) => a - b,
  "*": (a, b) => a * b,
  "/": (a, b) => (b === 0n ? undefined : a / b),
  "%": (a, b) => (b === 0n ? undefined : a % b),
  "**": (a, b) => (b < 0n || b > 64n ? undefined : a ** b),
  "<<": (a, b) => (b < 0n || b > 64n ? undefined : a << b),
  ">>": (a, b) => (b < 0n || b > 64n ? undefined : a >> b),
  "&": (a, b) => a & b,
  "|": (a, b) => a | b,
  "^": (a, b) => a ^ b,
};
const casts = { i8: [true, 8], u8: [false, 8], i16: [true, 16], u16: [false, 16], i32: [true, 32] } as const;

const { constant } = fc.letrec<{ constant: Constant }>((tie) => ({
  constant: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    literal,
    fc
      .tuple(fc.constantFrom(...Object.keys(operators)), tie("constant"), tie("constant"))
      .map(([operator, a, b]): Constant => {
        // A divisor that wraps around to zero stops the handler, which is not silent.
        if (/[/%]/.test(operator) && (!b.isSmall || b.value === -1n)) return a;
        const value = operators[operator]?.(a.value, b.value);
        if (value === undefined) return a;
        const text = `(${a.text}) ${operator} (${b.text})`;
        // The width of the smallest type: further shifts count modulo it.
        const isFar = /<<|>>/.test(operator) && b.value >= 8n;
        return { text, value, isSmall: a.isSmall && b.isSmall && isSmall(value) && !isFar };
      }),
    tie("constant").map((a): Constant => {
      return { text: `-(${a.text})`, value: -a.value, isSmall: a.isSmall && isSmall(-a.value) };
    }),
    fc.tuple(fc.constantFrom("i8", "u8", "i16", "u16", "i32"), tie("constant")).map(([type, a]): Constant => {
      const [isSigned, bits] = casts[type as keyof typeof casts];
      const held = isSigned ? BigInt.asIntN(bits, a.value) : BigInt.asUintN(bits, a.value);
      // Arithmetic of a small type is left to the first property.
      return {
        text: `((${a.text}) as ${type} as i32)`,
        value: a.value,
        isSmall: a.isSmall && held === a.value,
      };
    }),
  ),
}));

const address = "0x00000000000000000000000000000000000000a1";
const constants = fc.sample(constant, { seed: 7, numRuns: 400 });
let found: readonly {
  readonly of: Constant;
  readonly stored: unknown;
  readonly said: readonly Diagnostic[];
}[] = [];
beforeAll(async () => {
  const first = await buildFields(constants);
  const isRejected = (i: number): boolean =>
    first.said[i]?.some(({ severity }) => severity === "error") === true;
  const compiled = constants.filter((_, i) => !isRejected(i));
  const { built, said } = await buildFields(compiled);
  expect(built.ok, renderText(built.diagnostics)).toBe(true);
  const played = await play(built, [address, "event E(uint256 amount)", 1n]);
  expect(played).toBeInstanceOf(Array);
  const entities = played as readonly Readonly<Record<string, unknown>>[];
  const entity = entities.find(({ type }) => type === "X");
  found = compiled.map((of, i) => ({ of, stored: entity?.[`f${i}`], said: said[i] ?? [] }));
});

async function buildFields(all: readonly Constant[]) {
  const fields = all.map(({ text }, i) => [`f${i} int32`, text]);
  const config = {
    version: "1",
    name: "test/1.0.0",
    abis: { A: [event("E", "uint256 amount")] },
    instances: [
      {
        abi: "A",
        address,
        startBlock: 1,
        chain: "mainnet",
        enrich: { handlers: { E: { entities: { X: Object.fromEntries(fields) } } } },
      },
    ],
  };
  const built = await build("c.json", memoryHost({ "c.json": JSON.stringify(config) }), { asc });
  const said = fields.map(([field]) =>
    built.diagnostics.filter(({ at }) => at?.pointer.endsWith(`/X/${field}`)),
  );
  return { built, said };
}

describe("constant arithmetic that compiles", () => {
  it("warns wherever the stored value differs from the value that is written", () => {
    const silent = found.filter(
      ({ of, stored, said }) => BigInt(stored as number) !== of.value && said.length === 0,
    );
    expect(silent.map(({ of, stored }) => `${of.text} = ${of.value}, stored ${stored}`)).toEqual([]);
    expect(found.filter(({ of, stored }) => BigInt(stored as number) !== of.value).length).toBeGreaterThan(
      40,
    );
  });

  it("does not warn where all parts fit, except for divisions with a remainder", () => {
    const loud = found.filter(
      ({ of, said }) => of.isSmall && said.some(({ label }) => !/^is -?\d+$/.test(label ?? "")),
    );
    expect(loud.map(({ of, said }) => `${of.text}: ${said.map(({ label }) => label).join()}`)).toEqual([]);
    expect(found.filter(({ of }) => of.isSmall).length).toBeGreaterThan(40);
  });
});
