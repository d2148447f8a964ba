import { quoteForeign } from "../../base/text/quote-foreign.js";
import { Refusal } from "./refusal.js";

/** A parameter of an operation, for reading requests and for the OpenAPI document. */
export interface Parameter {
  readonly type: "int64" | "int32" | "double" | "boolean" | "string";
  readonly description: string;
  readonly required?: true;
  /** For numbers. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** For texts: the accepted values. */
  readonly values?: readonly string[];
  /** For texts: the pattern, and its description in messages. */
  readonly pattern?: RegExp;
  readonly looksLike?: string;
  /**
   * For texts that are comma-separated lists: the pattern of their items. The code that splits the list checks them.
   */
  readonly items?: RegExp;
  /** For texts: a standard format, besides the pattern. */
  readonly format?: "date-time";
  readonly usual?: string | number | boolean;
  readonly example?: string | number;
}

/** The parameters of an operation by name. */
export type Parameters = Readonly<Record<string, Parameter>>;

type Value<P extends Parameter> = P["type"] extends "string"
  ? string
  : P["type"] extends "boolean"
    ? boolean
    : number;

/** The parameter values of a request. */
export type Given<Spec extends Parameters> = { readonly [Name in keyof Spec]?: Value<Spec[Name]> };

/** The longest value of a parameter: lists have up to a hundred addresses. */
const longest = 8_192;

/**
 * Reads the parameters of a request. Unknown ones are ignored, as in the contract.
 * @throws Refusal for a value that is empty, given twice or malformed
 */
export function readParameters<Spec extends Parameters>(spec: Spec, query: URLSearchParams): Given<Spec> {
  const given: Record<string, string | number | boolean> = {};
  for (const [name, parameter] of Object.entries(spec)) {
    const [value, second] = query.getAll(name);
    if (second !== undefined) throw wrong(`${name} is given more than once.`);
    if (value !== undefined) given[name] = readValue(name, parameter, value);
    else if (parameter.required) throw wrong(`${name} is required.`);
  }
  return given as Given<Spec>;
}

function readValue(name: string, parameter: Parameter, text: string): string | number | boolean {
  if (text === "") throw wrong(`${name} is empty. Leave it out, or give it a value.`);
  if (text.includes("\0")) throw wrong(`${name} contains a zero byte, which no database can compare.`);
  if (text.length > longest) throw wrong(`${name} has more than ${longest} characters.`);
  switch (parameter.type) {
    case "int64":
    case "int32":
      return readInteger(name, parameter, text);
    case "double":
      return readDouble(name, parameter, text);
    case "boolean":
      if (text === "true" || text === "false") return text === "true";
      throw wrong(`${name} must be true or false, not ${quoteForeign(text)}.`);
    case "string":
      return readText(name, parameter, text);
  }
}

function readInteger(name: string, { type, minimum, maximum }: Parameter, text: string): number {
  const number = /^-?\d{1,19}$/.test(text) ? BigInt(text) : undefined;
  const least = minimum === undefined ? -(2n ** (type === "int32" ? 31n : 63n)) : BigInt(minimum);
  const most = maximum === undefined ? 2n ** (type === "int32" ? 31n : 63n) - 1n : BigInt(maximum);
  if (number === undefined || number < least || number > most)
    throw wrong(`${name} must be an integer from ${least} to ${most}, not ${quoteForeign(text)}.`);
  // No block and no second is beyond the safe integers, so comparisons give the same result.
  return Number(number > safest ? safest : number < -safest ? -safest : number);
}

const safest = BigInt(Number.MAX_SAFE_INTEGER);

function readDouble(name: string, { minimum }: Parameter, text: string): number {
  const number = /^-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : Number.NaN;
  if (Number.isFinite(number) && (minimum === undefined || number >= minimum)) return number;
  throw wrong(
    `${name} must be a number${minimum === undefined ? "" : ` from ${minimum} on`}, not ${quoteForeign(text)}.`,
  );
}

function readText(name: string, { values, pattern, looksLike }: Parameter, text: string): string {
  if (values && !values.includes(text))
    throw wrong(`${name} must be ${values.join(" or ")}, not ${quoteForeign(text)}.`);
  if (pattern && !pattern.test(text)) throw wrong(`${name} must be ${looksLike}, not ${quoteForeign(text)}.`);
  return text;
}

function wrong(message: string): Refusal {
  return new Refusal("BAD_REQUEST", message);
}
