import type { Scalar } from "yaml";
import { DeterministicError } from "../errors.js";

/** A value without parts. */
export type YamlScalar =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "number" | "string"; readonly value: string };

const nulls: readonly string[] = ["null", "Null", "NULL", "~"];
const booleans = new Map([
  ...["true", "True", "TRUE"].map((text) => [text, true] as const),
  ...["false", "False", "FALSE"].map((text) => [text, false] as const),
]);
const notNumbers = new Map([
  ...[".inf", ".Inf", ".INF"].flatMap((text) => [[text, ".inf"] as const, [`+${text}`, ".inf"] as const]),
  ...["-.inf", "-.Inf", "-.INF"].map((text) => [text, "-.inf"] as const),
  ...[".nan", ".NaN", ".NAN"].map((text) => [text, ".nan"] as const),
]);
const greatest = { unsigned: 2n ** 64n, signed: 2n ** 63n, wideUnsigned: 2n ** 128n, wideSigned: 2n ** 127n };

/**
 * The value of a scalar that is still as written, as graph-node's parser reads it.
 * @throws DeterministicError for a text that its tag does not allow, and for integers of 65 to 128 bits, which
 *   graph-node refuses
 */
export function readYamlScalar({ source = "", type, tag }: Scalar): YamlScalar {
  switch (tag) {
    case "tag:yaml.org,2002:bool":
      return { kind: "bool", value: expected(booleans.get(source), source, "a boolean") };
    case "tag:yaml.org,2002:int":
      return { kind: "number", value: expected(integerText(source), source, "an integer") };
    case "tag:yaml.org,2002:float":
      return { kind: "number", value: expected(floatText(source), source, "a float") };
    case "tag:yaml.org,2002:null":
      expected(nulls.includes(source) || undefined, source, "null");
      return { kind: "null" };
  }
  const isUntyped = type === "PLAIN" && (tag === undefined || tag.startsWith("!"));
  return isUntyped ? plain(source) : { kind: "string", value: source };
}

function expected<T>(value: T | undefined, text: string, what: string): T {
  if (value === undefined) throw new DeterministicError(`the YAML has \`${text}\` where it promises ${what}`);
  return value;
}

function plain(text: string): YamlScalar {
  if (text === "" || nulls.includes(text)) return { kind: "null" };
  const boolean = booleans.get(text);
  if (boolean !== undefined) return { kind: "bool", value: boolean };
  const number = integerText(text) ?? (isNumberedText(text) ? undefined : floatText(text));
  return number === undefined ? { kind: "string", value: text } : { kind: "number", value: number };
}

/** Digits after a leading zero are a text. */
const isNumberedText = (text: string): boolean => /^[+-]?0\d+$/.test(text);

/** Integers beyond 128 bits are floats. */
function integerText(text: string): string | undefined {
  const [, sign, digits = ""] = /^([+-]?)(0x[\da-f]+|0o[0-7]+|0b[01]+|\d+)$/i.exec(text) ?? [];
  if (digits === "" || isNumberedText(text) || /^0[XOB]/.test(digits)) return undefined;
  const value = sign === "-" ? -BigInt(digits) : BigInt(digits);
  if (value < greatest.unsigned && value >= -greatest.signed) return value.toString();
  if (value >= greatest.wideUnsigned || value < -greatest.wideSigned) return undefined;
  throw new DeterministicError(`the YAML has the integer \`${value}\`, which exceeds 64 bits`);
}

/**
 * A float, written so that it is not mistaken for an integer. A finite text that is too great is not a float.
 */
function floatText(text: string): string | undefined {
  const special = notNumbers.get(text);
  if (special !== undefined) return special;
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  const value = Number(text);
  if (!Number.isFinite(value)) return undefined;
  if (Object.is(value, -0)) return "-0.0";
  const exponential = value.toExponential();
  const power = Number(exponential.slice(exponential.indexOf("e") + 1));
  if (power < -5 || power > 15) return exponential.replace("e+", "e");
  const written = String(value);
  return written.includes(".") ? written : `${written}.0`;
}
