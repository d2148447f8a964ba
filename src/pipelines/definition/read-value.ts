import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import { locatedString } from "../../compiler/source/located-string.js";
import type { Located, LocatedString, Location } from "../../compiler/source/source.js";
import type { StringNode, TreeNode } from "../../compiler/source/tree.js";
import type { Named, SettingValue, StartAt } from "./settings.js";
import type { Setting } from "./shape.js";

/** The value of a setting; `undefined` after a reported error. */
export function readValue(
  name: string,
  node: TreeNode,
  setting: Setting,
  report: Report,
): SettingValue | undefined {
  const or = <T>(value: T | undefined, expected: string): T | undefined => {
    if (value === undefined)
      report.error("wrong-type", node.at, `${quote(name)} must be ${expected}, not ${kindOf(node)}`);
    return value;
  };
  switch (setting.type) {
    case "string":
      return oneOf(name, or(scalarText(node), "a string"), setting.values, report);
    case "boolean":
      return or(booleanOf(node), "true or false");
    case "count":
      return or(countOf(node), "a whole number, 0 or more");
    case "duration":
      return or(durationOf(node), "a time such as 10s or 300ms");
    case "start":
      return or(startOf(node), "earliest, latest or a block number");
    case "names":
      return or(namesOf(node), "names, separated by commas");
    case "strings":
      return or(entriesOf(node, isText), "strings by name");
    case "overrides":
      return or(entriesOf(node, isTextOrNull), "types by column");
    case "any":
      return node;
  }
}

/** YAML reads a bare 1 or true as no string, but where a string belongs it is one. */
function scalarText(node: TreeNode): LocatedString | undefined {
  if (node.kind === "string") return node;
  if (node.kind !== "number" && node.kind !== "boolean") return undefined;
  return locatedString(node.at.source.text.slice(node.at.start, node.at.end), node.at, node.at.start);
}

function oneOf(
  name: string,
  text: LocatedString | undefined,
  values: readonly string[] | undefined,
  report: Report,
): LocatedString | undefined {
  if (text === undefined || values === undefined || values.includes(text.value)) return text;
  const [near] = suggest(text.value, values);
  report.error("wrong-value", text.at, `${quote(name)} must be ${either(values)}`, {
    ...(near !== undefined && { hint: `write ${near}` }),
  });
  return undefined;
}

function either(values: readonly string[]): string {
  return `${values.slice(0, -1).join(", ")} or ${values.at(-1)}`;
}

/** Variables are text, so "true" and "12" count as a boolean and a number. */
function booleanOf(node: TreeNode): Located<boolean> | undefined {
  if (node.kind === "boolean") return node;
  if (node.kind !== "string" || !/^(?:true|false)$/.test(node.value)) return undefined;
  return { value: node.value === "true", at: node.at };
}

function countOf(node: TreeNode): Located<number> | undefined {
  const value =
    node.kind === "string" && /^\d+$/.test(node.value)
      ? Number(node.value)
      : node.kind === "number"
        ? node.value
        : undefined;
  return value !== undefined && Number.isSafeInteger(value) && value >= 0
    ? { value, at: node.at }
    : undefined;
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/** Milliseconds of `10s`, `300 ms` or a plain number. */
function durationOf(node: TreeNode): Located<number> | undefined {
  if (node.kind !== "string") return countOf(node);
  const [, digits = "", unit = "ms"] = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h)?$/.exec(node.value) ?? [];
  const value = Number(digits) * (units[unit] ?? Number.NaN);
  return digits !== "" && Number.isSafeInteger(value) ? { value, at: node.at } : undefined;
}

function startOf(node: TreeNode): Located<StartAt> | undefined {
  if (node.kind === "string" && (node.value === "earliest" || node.value === "latest"))
    return { value: node.value, at: node.at };
  return countOf(node);
}

/** Each name has its own location, even if one string contains them all. */
function namesOf(node: TreeNode): readonly LocatedString[] | undefined {
  if (node.kind === "array") {
    const names = node.items.map((item) => (item.kind === "string" ? item : undefined));
    return names.every((name) => name !== undefined) ? names : undefined;
  }
  return node.kind === "string" ? splitNames(node) : undefined;
}

function splitNames(text: StringNode): readonly LocatedString[] {
  return [...text.value.matchAll(/[^\s,](?:[^,]*[^\s,])?/g)].map(({ 0: name, index }) =>
    partOf(text, index, name),
  );
}

/** A part of a string, as a separate string. */
export function partOf(text: LocatedString, start: number, value: string): LocatedString {
  const at: Location = text.part(start, start + value.length);
  return { value, at, part: (from, to) => text.part(start + from, start + to) };
}

function entriesOf<T>(node: TreeNode, fits: (value: unknown) => value is T): readonly Named<T>[] | undefined {
  if (node.kind !== "object") return undefined;
  const entries = node.members.map(({ key, value }) => {
    const held = value.kind === "null" ? null : value.kind === "string" ? value.value : undefined;
    return fits(held) ? { name: key, value: { value: held, at: value.at } } : undefined;
  });
  return entries.every((entry) => entry !== undefined) ? entries : undefined;
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || isText(value);
}

/** The kind of a value, for a message. */
export function kindOf(node: TreeNode): string {
  switch (node.kind) {
    case "object":
      return "a map";
    case "array":
      return "a list";
    case "null":
      return "nothing";
    case "string":
      return quote(node.value);
    default:
      return String(node.value);
  }
}
