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

const operations: Readonly<Record<string, (one: bigint, other: bigint) => bigint>> = {
  add: (one, other) => one + other,
  sub: (one, other) => one - other,
  mul: (one, other) => one * other,
  div: (one, other) => quotient(one, other),
  mod: (one, other) => one - quotient(one, other) * other,
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

function quotient(one: bigint, other: bigint): bigint {
  if (other === 0n) throw new RangeError("division by zero");
  return one / other;
}

function fitted(value: bigint, kind: string, { least, most }: Bounds): bigint {
  if (value < least || value > most) throw new RangeError(`${shortened(String(value))} is not a ${kind}`);
  return value;
}

/** Decimal digits, or hex with 0x. */
function integerOf(text: string): bigint {
  const trimmed = text.trim();
  if (!/^(?:-?\d+|0x[0-9a-f]+)$/i.test(trimmed))
    throw new RangeError(`${JSON.stringify(shortened(text))} is not an integer`);
  return BigInt(trimmed);
}

function shortened(text: string): string {
  return text.length > 90 ? `${text.slice(0, 87)}...` : text;
}
