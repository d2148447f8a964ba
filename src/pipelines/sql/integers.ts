import type { SqlFunction } from "./sql-function.js";

/** The bounds of a kind of 256-bit integers. */
interface Bounds {
  readonly least: bigint;
  readonly most: bigint;
}

const kinds: Readonly<Record<"u256" | "i256", Bounds>> = {
  u256: { least: 0n, most: 2n ** 256n - 1n },
  i256: { least: -(2n ** 255n), most: 2n ** 255n - 1n },
};

const operations = {
  add: (one: bigint, other: bigint) => one + other,
  sub: (one: bigint, other: bigint) => one - other,
  mul: (one: bigint, other: bigint) => one * other,
  div: (one: bigint, other: bigint) => quotient(one, other),
  mod: (one: bigint, other: bigint) => one - quotient(one, other) * other,
};

/** Exact arithmetic on integers of 256 bits. A result that does not fit is an error, not another number. */
export const integerFunctions: readonly SqlFunction[] = Object.entries(kinds).flatMap(([kind, bounds]) => [
  {
    name: `to_${kind}`,
    parameters: ["text"],
    result: "integer",
    compute: ([text]) => fitted(integerOf(text as string), kind, bounds),
  },
  {
    name: `${kind}_to_string`,
    parameters: ["integer"],
    result: "text",
    compute: ([value]) => String(fitted(value as bigint, kind, bounds)),
  },
  ...Object.entries(operations).map(
    ([operation, apply]): SqlFunction => ({
      name: `${kind}_${operation}`,
      parameters: ["integer", "integer"],
      result: "integer",
      compute: ([one, other]) => fitted(apply(one as bigint, other as bigint), kind, bounds),
    }),
  ),
]);

/** Bits of a product at most, so that a query cannot compute without end. */
const widest = 65_536n;

/**
 * Operators on integers of any size. DuckDB's own compute with floating-point numbers, which is wrong from about the 17th
 * digit on, or show the bytes in which it keeps a number. Division drops the remainder.
 */
export const integerOperators: readonly SqlFunction[] = [
  ...[
    ["*", product] as const,
    ["/", operations.div] as const,
    ["//", operations.div] as const,
    ["%", operations.mod] as const,
  ].map(
    ([name, apply]): SqlFunction => ({
      name,
      parameters: ["integer", "integer"],
      result: "integer",
      compute: ([one, other]) => apply(one as bigint, other as bigint),
    }),
  ),
  {
    name: "abs",
    parameters: ["integer"],
    result: "integer",
    compute: ([value]) => ((value as bigint) < 0n ? -(value as bigint) : (value as bigint)),
  },
  ...[["hex", 16] as const, ["to_hex", 16] as const, ["bin", 2] as const, ["to_binary", 2] as const].map(
    ([name, base]): SqlFunction => ({
      name,
      parameters: ["integer"],
      result: "text",
      compute: ([value]) => digitsOf(value as bigint, base),
    }),
  ),
];

/** Digits as DuckDB writes those of smaller integers. */
function digitsOf(value: bigint, base: number): string {
  if (value < 0n) throw new Error("a negative integer has no digits to base 2 or 16 here");
  return value.toString(base).toUpperCase();
}

function product(one: bigint, other: bigint): bigint {
  const most = 1n << widest;
  const made = one > -most && one < most && other > -most && other < most ? one * other : most;
  if (made >= most || made <= -most) throw new Error("a product has more than 65,536 bits");
  return made;
}

function quotient(one: bigint, other: bigint): bigint {
  if (other === 0n) throw new Error("division by zero");
  return one / other;
}

function fitted(value: bigint, kind: string, { least, most }: Bounds): bigint {
  if (value < least || value > most) throw new Error(`${shortened(String(value))} is not a ${kind}`);
  return value;
}

/** Decimal digits, or hex with 0x. */
function integerOf(text: string): bigint {
  const trimmed = text.trim();
  if (!/^(?:-?\d+|0x[0-9a-f]+)$/i.test(trimmed))
    throw new Error(`${JSON.stringify(shortened(text))} is not an integer`);
  return BigInt(trimmed);
}

function shortened(text: string): string {
  return text.length > 90 ? `${text.slice(0, 87)}...` : text;
}
