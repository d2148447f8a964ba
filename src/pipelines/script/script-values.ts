import { wellFormed } from "../../base/text/well-formed.js";
import type { Rows, RowValue } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";
import type { ScriptColumn, ScriptType } from "./script-engine.js";

/** A script has turned a row into something that is not a row. */
export class ScriptRowError extends Error {
  override readonly name = "ScriptRowError";
  /** Its index among the rows that were given. */
  readonly row: number;

  constructor(row: number, message: string) {
    super(message);
    this.row = row;
  }
}

/** Whether a script gets the values of a column as BigInt. */
export function isInteger({ type }: RowColumn): boolean {
  return type === "LONG" || type === "DECIMAL" || type === "TIMESTAMP";
}

/** Some rows as JSON: a list for each column, with integers as text. */
export function givenText(rows: Rows, start: number, end: number): string {
  return JSON.stringify(rows.columns.map((column) => column.slice(start, end).map(jsonValue)));
}

/** JSON has no integers of 64 bits, and no numbers that are not finite. */
function jsonValue(value: RowValue): unknown {
  return typeof value === "bigint" || (typeof value === "number" && !Number.isFinite(value))
    ? String(value)
    : value;
}

/**
 * Reads the sandbox's result for the rows of a script.
 * @param first the index of the first input row
 * @returns the values of each row that was not dropped
 * @throws ScriptRowError for anything but a row of these columns
 */
export function madeRows(
  text: string,
  first: number,
  columns: readonly ScriptColumn[],
): readonly (readonly RowValue[])[] {
  const made = JSON.parse(text) as readonly unknown[];
  return made.flatMap((row, index) => {
    if (row === null) return [];
    if (!Array.isArray(row)) throw new ScriptRowError(first + index, `invoke gives ${describedRow(row)}`);
    return [columns.map((column, place) => judged(row[place], column, first + index))];
  });
}

function describedRow(row: unknown): string {
  const what = (row as { readonly r?: unknown }).r;
  if (what === "promise") return "a promise, but a script cannot wait; write it without async";
  return `${article(String(what))}; it must give an object, or null to drop the row`;
}

/** The value of a column. @throws ScriptRowError */
function judged(value: unknown, { name, type }: ScriptColumn, row: number): RowValue {
  if (value === null) return null;
  const wrong = (why: string): never => {
    throw new ScriptRowError(row, `column ${name} ${why}`);
  };
  const given = sortOf(value);
  if (given.sort === "undefined") return wrong("is missing; give a value, or null");
  switch (type) {
    case "string":
      if (given.sort === "string") return wellFormed(given.value);
      break;
    case "boolean":
      if (given.sort === "boolean") return given.value;
      break;
    case "float64":
      if (given.sort === "number" && given.value === undefined) return wrong("is not a finite number");
      if (given.sort === "number") return given.value as number;
      if (given.sort === "bigint") return exactNumber(given.value, wrong);
      break;
    case "int64":
    case "uint64":
      if (given.sort === "number" || given.sort === "bigint") return integer(given.value, type, wrong);
      break;
    case "bytes":
      if ((given.sort === "bytes" || given.sort === "string") && /^0x(?:[0-9a-f]{2})*$/i.test(given.value))
        return given.value.toLowerCase();
      if (given.sort === "string") return wrong("is a string, but not of bytes in hex, such as 0x0a");
  }
  const isStructure = given.sort === "object" || given.sort === "array";
  const way = type === "string" && isStructure ? "JSON.stringify(x)" : ways[type];
  return wrong(`is ${article(given.sort)}, not ${article(type)}; write ${way}`);
}

/** How to convert a script's value to a type. */
const ways: Readonly<Record<ScriptType, string>> = {
  string: "String(x)",
  uint64: "BigInt(x)",
  int64: "BigInt(x)",
  float64: "Number(x)",
  boolean: "Boolean(x)",
  bytes: "a Uint8Array, or hex with 0x",
};

const bounds = {
  int64: { least: -(2n ** 63n), most: 2n ** 63n - 1n },
  uint64: { least: 0n, most: 2n ** 64n - 1n },
} as const;

/** An integer as a floating-point number, as other services give integers to scripts. */
function exactNumber(value: bigint, wrong: (why: string) => never): number {
  const number = Number(value);
  if (Number.isFinite(number) && BigInt(number) === value) return number;
  return wrong("is a bigint too large to be exact as a float64; write Number(x)");
}

function integer(
  value: number | bigint | undefined,
  type: "int64" | "uint64",
  wrong: (why: string) => never,
): RowValue {
  if (value === undefined || (typeof value === "number" && !Number.isInteger(value)))
    return wrong(`is ${value ?? "not a number"}, which is not an integer`);
  if (typeof value === "number" && !Number.isSafeInteger(value))
    return wrong("is a number too large to be exact; compute it with BigInt");
  const exact = BigInt(value);
  const { least, most } = bounds[type];
  if (exact < least || exact > most) return wrong(`does not fit ${type}`);
  // An integer without sign of 64 bits is wider than LONG, so its column holds digits.
  return type === "int64" ? exact : String(exact);
}

/** A value as the sandbox writes it. */
type Sorted =
  | { readonly sort: "string" | "bytes"; readonly value: string }
  | { readonly sort: "boolean"; readonly value: boolean }
  /** `undefined` for a number that is not finite. */
  | { readonly sort: "number"; readonly value: number | undefined }
  | { readonly sort: "bigint"; readonly value: bigint }
  | { readonly sort: "undefined" | "object" | "array" | "function" | "symbol" };

function sortOf(value: unknown): Sorted {
  if (typeof value === "string") return { sort: "string", value };
  if (typeof value === "boolean") return { sort: "boolean", value };
  if (typeof value === "number") return { sort: "number", value };
  const { i, b, n, t } = value as Readonly<Record<string, string>>;
  if (i !== undefined) return { sort: "bigint", value: BigInt(i) };
  if (b !== undefined) return { sort: "bytes", value: b };
  if (n !== undefined) return { sort: "number", value: undefined };
  return { sort: t as "undefined" | "object" | "array" | "function" | "symbol" };
}

function article(noun: string): string {
  if (noun === "undefined" || noun === "bytes") return noun;
  return /^[aeio]/.test(noun) ? `an ${noun}` : `a ${noun}`;
}
