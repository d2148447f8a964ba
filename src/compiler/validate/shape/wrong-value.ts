import type { ErrorObject } from "ajv/dist/2020.js";
import { quote } from "../../../base/text/quote.js";
import { findChain } from "../../../chains/find-chain.js";
import { storedType } from "../../abi/conversions.js";
import { parseSignature } from "../../abi/parse-signature.js";
import type { Code } from "../../diagnostics/catalog.js";
import type { Details } from "../../diagnostics/diagnostic.js";
import type { Location } from "../../source/source.js";
import type { NumberNode, TreeNode } from "../../source/tree.js";
import { listedArguments } from "./listed-arguments.js";
import { addressOffence, type Offence, offenceOf } from "./offence.js";
import { rightShape } from "./right-shape.js";
import { type IndexedValue, nameInMessages } from "./tree-index.js";
import { expectation, schemaOf, type Violation } from "./violation.js";

/** The violation by a value that the schema rejects. */
export function wrongValue(code: Code, place: IndexedValue, error: ErrorObject): Violation {
  const { node } = place;
  const subject = nameInMessages(place);
  const wanted = expectation(error);
  const { at, label, hint, fix } = offence(node, error);
  const details = {
    label,
    hint,
    fix,
    ...(chainCorrection(place) ??
      argumentsAsText(place) ??
      usableName(place, error) ??
      shaped(place, error) ??
      correction(place, error)),
  };
  const message = `${subject} ${wanted}, not ${describe(node)}`;
  if (message.length <= 80) return { code, at, message, details };
  // The first line stays short: the requirement follows below.
  const short = `${subject} cannot be ${describe(node)}`;
  return { code, at, message: short, details: { ...details, notes: [`it ${wanted}`] } };
}

function describe(node: TreeNode): string {
  switch (node.kind) {
    case "object":
      return node.members.length === 0 ? "an empty object" : "an object";
    case "array":
      return node.items.length === 0 ? "an empty list" : "a list";
    case "string":
      return node.value === "" ? "an empty string" : quote(node.value);
    case "null":
      return "null";
    case "number":
      return `the number ${writtenNumber(node)}`;
    case "boolean":
      return String(node.value);
  }
}

/** The number's source text, because parsing changes numbers with many digits. */
function writtenNumber({ at, value }: NumberNode): string {
  const written = at.source.text.slice(at.start, at.end);
  return /^[-+.\w]{1,60}$/.test(written) ? written : String(value);
}

/** The smallest wrong part, and why. */
function offence(node: TreeNode, error: ErrorObject): Offence {
  const { at } = node;
  if (node.kind === "string" && error.keyword === "pattern") {
    const [example] = schemaOf(error).examples ?? [];
    if (typeof example === "string" && example.startsWith("0x")) return addressOffence(node);
    return offenceOf(node, new RegExp(error.params.pattern, "u"), String(example ?? ""));
  }
  switch (error.keyword) {
    case "maxLength":
      return { at, label: "too long" };
    case "minLength":
    case "minItems":
      return { at: startOf(node), label: "empty" };
    case "minimum":
      return { at, label: "too small" };
    case "maximum":
      return { at, label: "too large" };
    case "const":
      return {
        at: startOf(node),
        label: node.kind === "string" ? 'only "1" is supported' : kindOf(node, true),
      };
    default:
      return { at: startOf(node), label: kindOf(node, error.params.type === "string") };
  }
}

/** The first bracket of a list or object, because its content is not at fault. */
function startOf(node: TreeNode): Location {
  const { at } = node;
  const hasMore =
    node.kind === "object" ? node.members.length > 0 : node.kind === "array" && node.items.length > 0;
  return hasMore && /[[{]/.test(at.source.text[at.start] ?? "") ? { ...at, end: at.start + 1 } : at;
}

/** @param isTextWanted whether quotes would help */
function kindOf(node: TreeNode, isTextWanted: boolean): string {
  switch (node.kind) {
    case "object":
      return "an object";
    case "array":
      return "a list";
    case "string":
      return /^(true|false|[\d.]+)$/.test(node.value) ? "a string, because of its quotes" : "a string";
    case "number":
      if (isTextWanted) return "a number, because it has no quotes";
      return Number.isInteger(node.value) ? "a number" : "not a whole number";
    case "boolean":
      return isTextWanted ? "not a string, because it has no quotes" : "true or false";
    case "null":
      return node.at.start === node.at.end ? "no value is written here" : "null is not a value here";
  }
}

/** The fix for a chain given by its full name or chain id. */
function chainCorrection({ node, key, parent }: IndexedValue): Pick<Details, "hint" | "fix"> | undefined {
  if (key?.value !== "chain" || parent?.parent?.key?.value !== "instances") return undefined;
  if (node.kind !== "string" && node.kind !== "number") return undefined;
  const { at } = node;
  const name = findChain(node.kind === "number" ? at.source.text.slice(at.start, at.end) : node.value);
  return name === undefined
    ? undefined
    : { hint: `write ${quote(name)}`, fix: [{ kind: "value", at, value: name }] };
}

/** The fix for a list of call arguments, which must be a single string. */
function argumentsAsText({ node, key }: IndexedValue): Pick<Details, "hint" | "fix"> | undefined {
  const listed = key?.value === "params" ? listedArguments(node) : undefined;
  return listed && { hint: `write ${listed.written}`, ...(listed.edit && { fix: [listed.edit] }) };
}

/** The subgraph's name without its invalid characters. */
function usableName(
  { node, key, parent }: IndexedValue,
  error: ErrorObject,
): Pick<Details, "hint"> | undefined {
  if (key?.value !== "name" || parent?.parent || node.kind !== "string" || error.keyword !== "pattern")
    return undefined;
  const [first = "", ...rest] = node.value.split("/").map((part) => part.replace(/^\W+|\W+$/g, ""));
  const version = rest.join("-").replace(/[^\w+.-]+/g, "-");
  const name =
    first.replace(/[^\w-]+/g, "-").replace(/^[^A-Za-z]+/, "") + (version === "" ? "" : `/${version}`);
  const isSound = name.length <= 60 && new RegExp(error.params.pattern, "u").test(name);
  return isSound ? { hint: `write ${quote(name)}` } : undefined;
}

/** The fix for a list in place of an object, or vice versa. */
function shaped(place: IndexedValue, error: ErrorObject): Pick<Details, "hint"> | undefined {
  const hint = error.keyword === "type" ? rightShape(place, error) : undefined;
  return hint === undefined ? undefined : { hint };
}

function correction(place: IndexedValue, error: ErrorObject): Pick<Details, "hint" | "fix"> {
  const { node } = place;
  const wanted: unknown = error.keyword === "const" ? "string" : error.params.type;
  if (error.keyword === "const") return version(node);
  if (node.kind === "number" || node.kind === "boolean") {
    const written = node.at.source.text.slice(node.at.start, node.at.end);
    if (wanted !== "string") return {};
    // YAML reads an address without quotes as a number, with all of its digits.
    const value = asExpression(place) ?? (/^0x[\da-f]{40}$/i.test(written) ? written : undefined);
    return value === undefined
      ? { hint: `write ${quote(written)}, in quotes` }
      : { hint: `write ${quote(value)}, in quotes`, fix: [{ kind: "value", at: node.at, value }] };
  }
  if (isBareAbi(node))
    return { hint: `create a configuration from this ABI: ${initCommand(node.at.source.path)}` };
  if (node.kind !== "string") return {};
  const value = unquoted(node.value, wanted);
  if (value !== undefined) {
    return {
      hint: `write ${value}, without quotes`,
      fix: [{ kind: "value", at: node.at, value }],
    };
  }
  if (wanted === "array") return { hint: `write [${quote(node.value)}]` };
  return wanted === "integer" && place.key?.value === "startBlock" ? { hint: blockFor(node.value) } : {};
}

/** The replacement for a block tag of nodes, such as `latest`. */
function blockFor(written: string): string {
  if (/^(?:earliest|genesis|first|beginning)$/i.test(written)) return "write 0, without quotes";
  return "write the number of the block that created the contract";
}

/** Whether the whole document is a compiler's output for one contract. */
function isBareAbi(node: TreeNode): boolean {
  const kinds = new Set(["event", "function", "constructor"]);
  if (node.kind !== "array" || node.at.pointer !== "") return false;
  return node.items.some((item) => {
    const type = item.kind === "object" && item.members.find(({ key }) => key.value === "type")?.value;
    return type && type.kind === "string" && kinds.has(type.value);
  });
}

/** Replaces a path that needs quoting in a shell with a placeholder. */
function initCommand(path: string): string {
  const file = /^[\w./-]+$/.test(path) ? path : "<file>";
  return `graphloom subgraph init <name> --abi ${file} --contract <address> --network <chain>`;
}

function version({ kind, at, ...node }: TreeNode): Pick<Details, "hint" | "fix"> {
  const isOne = kind === "number" && "value" in node && node.value === 1;
  return isOne
    ? { hint: 'write "1", in quotes', fix: [{ kind: "value", at, value: "1" }] }
    : { hint: 'write "1"' };
}

/** The value of a string without its quotes, if the schema requires a value without quotes. */
function unquoted(text: string, wanted: unknown): number | boolean | undefined {
  if (wanted === "boolean" && /^(true|false)$/.test(text)) return text === "true";
  const isNumber = /^(?:0x[0-9a-f]+|\d+|\d{1,3}(?:[,_]\d{3})+)$/i.test(text);
  const number = Number(text.replace(/[,_]/g, ""));
  return wanted === "integer" && isNumber && number <= 0x7fffffff ? number : undefined;
}

/** The expression for a field's number or boolean that was written without quotes. */
function asExpression({ node, key }: IndexedValue): string | undefined {
  const type = key && /^\s*[_A-Za-z]\w*\s+(\S+)\s*$/.exec(key.value)?.[1];
  if (type === undefined || (node.kind !== "number" && node.kind !== "boolean")) return undefined;
  const written = node.at.source.text.slice(node.at.start, node.at.end);
  const scalar = scalarOf(type);
  if (scalar === "String") return `"${written}"`;
  if (node.kind === "boolean") return scalar === "Boolean" ? written : undefined;
  if (scalar === "BigDecimal" && /^-?\d+(?:\.\d+)?$/.test(written))
    return `BigDecimal.fromString("${written}")`;
  if (!/^-?\d+$/.test(written)) return undefined;
  if (scalar === "Int") return written;
  if (scalar !== "BigInt") return undefined;
  return isSmall(node) ? `BigInt.fromI32(${written})` : `BigInt.fromString("${written}")`;
}

/** The scalar that stores values of a written type; `undefined` for lists and invalid types. */
function scalarOf(type: string): string | undefined {
  if (/^u?fixed(?:\d+x\d+)?$/.test(type)) return "BigDecimal";
  const signature = parseSignature(`f(${type})`);
  const [parameter, ...others] = ("parameters" in signature && signature.parameters) || [];
  if (!parameter || others.length > 0) return undefined;
  const { kind } = parameter.type;
  return kind === "int" || kind === "bool" || kind === "string"
    ? storedType(parameter.type).scalar
    : undefined;
}

function isSmall(node: TreeNode): boolean {
  return node.kind === "number" && Math.abs(node.value) <= 0x7fffffff;
}
