import type { RelatedPlace } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import { mapEscapes } from "../parse/json-escapes.js";
import { parseJsonSource } from "../parse/parse-json-source.js";
import { childPointer, type Location } from "../source/source.js";
import type { StringMap } from "../source/string-map.js";
import { toPlain } from "../source/to-plain.js";
import { type ArrayNode, memberAt, nodeAt, type TreeNode, type TreePath } from "../source/tree.js";
import { itemSpans, type Span, valueSpan } from "./skim-json.js";

/** A text that should hold an ABI, and how to find a part of it in what the user wrote. */
export interface AbiText {
  readonly text: string;
  /** @param pointer of the part inside the text */
  place(span: Span, pointer: string): Location;
}

/** The ABI in a text, or what is there instead, in words that follow "is" or "holds". */
export type FoundAbi =
  | {
      readonly kind: "abi";
      readonly entries: readonly unknown[];
      locateEntry(index: number, path?: TreePath): Location;
    }
  | { readonly kind: "other"; readonly what: string; readonly hint: string; readonly fault?: RelatedPlace };

/** Where an ABI may be: on its own, in the artifacts of Hardhat, Foundry and Truffle, in 0x's, in an explorer's answer. */
export const abiHomes: readonly (readonly string[])[] = [[], ["abi"], ["compilerOutput", "abi"], ["result"]];

const wanted = 'give an ABI array, or a build artifact with one under "abi"';

/** Finds the ABI in the text of a file, or in a string of the configuration. */
export function findAbi(file: AbiText, depth = 0): FoundAbi {
  if (file.text.trim() === "") return { kind: "other", what: "is empty", hint: wanted };
  let value: unknown;
  try {
    value = JSON.parse(file.text);
  } catch {
    return fromLooseText(file, depth);
  }
  for (const path of abiHomes) {
    const candidate = path.reduce<unknown>(property, value);
    if (Array.isArray(candidate)) return fromArray(file, candidate, path);
    if (typeof candidate === "string" && depth < 2) return fromString(file, candidate, path, depth);
  }
  return noAbi(value);
}

function noAbi(value: unknown): FoundAbi {
  // Hardhat writes files of its own beside the artifacts, which look like them at first sight.
  const format = property(value, "_format");
  const isHardhats = typeof format === "string" && /^hh-sol-(dbg|build-info)/.test(format);
  const hint = isHardhats
    ? "name the artifact of the contract, such as artifacts/contracts/Vault.sol/Vault.json"
    : wanted;
  return { kind: "other", what: `holds ${describe(value)}, not an ABI`, hint };
}

function property(value: unknown, key: string): unknown {
  const isObject = typeof value === "object" && value !== null && Object.hasOwn(value, key);
  return isObject ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
}

/** Judges an array by its first look; its entries are examined when the ABI is parsed. */
export function refuseArray(entries: readonly unknown[]): { what: string; hint: string } | undefined {
  if (entries.length === 0 || entries.some((entry) => typeof entry === "object" && entry !== null))
    return undefined;
  if (entries.every((entry) => typeof entry === "string")) {
    return {
      what: "is a human-readable ABI",
      hint: "give the ABI in its JSON form, as the compiler writes it",
    };
  }
  return { what: "holds a list that is not an ABI", hint: wanted };
}

function fromArray(file: AbiText, entries: readonly unknown[], path: readonly string[]): FoundAbi {
  const refusal = refuseArray(entries);
  if (refusal) return { kind: "other", ...refusal };
  const pointer = path.reduce(childPointer, "");
  let spans: readonly Span[] | undefined;
  return {
    kind: "abi",
    entries,
    locateEntry(index, inside = []) {
      spans ??= itemSpans(file.text, path);
      const span = spans[index] ?? { start: 0, end: 0 };
      const within = spanWithin(file.text.slice(span.start, span.end), inside);
      return file.place(
        { start: span.start + within.start, end: span.start + within.end },
        childPointer(pointer, index) + within.pointer,
      );
    },
  };
}

/** Where the value stands that a path leads to in the text of one entry. */
function spanWithin(text: string, path: TreePath): Span & { readonly pointer: string } {
  const whole = { start: 0, end: text.length, pointer: "" };
  if (path.length === 0) return whole;
  const tree = parseJsonSource({ path: "", text }, "json", new Report());
  return tree ? nodeAt(tree, path).at : whole;
}

/** An ABI written as a string inside JSON: one more layer of quoting to see through. */
function fromString(file: AbiText, text: string, path: readonly string[], depth: number): FoundAbi {
  const pointer = path.reduce(childPointer, "");
  let map: StringMap | undefined;
  const within: AbiText = {
    text,
    place({ start, end }) {
      map ??= mapWithin(file.text, valueSpan(file.text, path));
      const [from, to] = map.span(start, end);
      return file.place({ start: from, end: to }, pointer);
    },
  };
  return refuseAnswer(text, path) ?? findAbi(within, depth + 1);
}

/** Judges the result in an explorer's answer: of a contract it does not know it is a sentence. */
export function refuseAnswer(
  text: string,
  path: readonly string[],
): Extract<FoundAbi, { kind: "other" }> | undefined {
  if (path[0] !== "result" || /^\s*[[{]/.test(text)) return undefined;
  const said = text.trim().slice(0, 80) || "nothing";
  return {
    kind: "other",
    what: `is an explorer's answer without an ABI: ${JSON.stringify(said)}`,
    hint: "fetch the ABI of a verified contract",
  };
}

/** Sees through the quoting of the string that stands there. */
function mapWithin(text: string, { start, end }: Span): StringMap {
  return mapEscapes(text, start + 1, end - 1);
}

/** A text that is no strict JSON: comments and trailing commas are tolerated as in a configuration. */
function fromLooseText(file: AbiText, depth: number): FoundAbi {
  const other = notData(file.text);
  if (other) return other;
  const report = new Report();
  const tree = parseJsonSource({ path: "", text: file.text }, "json", report);
  if (tree) return fromTree(file, tree, depth);
  const [fault] = report.diagnostics;
  return {
    kind: "other",
    what: "is not JSON",
    hint: wanted,
    ...(fault?.at && { fault: { at: file.place(fault.at, fault.at.pointer), text: fault.message } }),
  };
}

function fromTree(file: AbiText, tree: TreeNode, depth: number): FoundAbi {
  for (const path of abiHomes) {
    const candidate = memberAt(tree, path);
    if (candidate?.kind === "array") return fromList(file, candidate);
    if (candidate?.kind !== "string" || depth >= 2) continue;
    const { value, at } = candidate;
    const place = ({ start, end }: Span): Location => file.place(candidate.part(start, end), at.pointer);
    return refuseAnswer(value, path) ?? findAbi({ text: value, place }, depth + 1);
  }
  return noAbi(toPlain(tree));
}

function fromList(file: AbiText, list: ArrayNode): FoundAbi {
  const entries = list.items.map(toPlain);
  const refusal = refuseArray(entries);
  if (refusal) return { kind: "other", ...refusal };
  const locateEntry = (index: number, inside: TreePath = []): Location => {
    const { at } = nodeAt(list, [index, ...inside]);
    return file.place(at, at.pointer);
  };
  return { kind: "abi", entries, locateEntry };
}

/** What somebody saved instead of data. */
function notData(text: string): FoundAbi | undefined {
  const start = text.trimStart().slice(0, 200);
  if (/^<(!doctype html|html|head|body)/i.test(start)) {
    return {
      kind: "other",
      what: "is a web page (HTML)",
      hint: "save the ABI itself, not the page that shows it",
    };
  }
  if (start.startsWith("<")) return { kind: "other", what: "is XML or HTML", hint: wanted };
  if (start.startsWith("version https://git-lfs")) {
    return { kind: "other", what: "is a pointer of Git LFS", hint: 'run "git lfs pull" to fetch the file' };
  }
  if (/^(event|function|constructor|error|struct|interface|contract|pragma|\/\/ SPDX)\b/.test(start)) {
    return {
      kind: "other",
      what: "is Solidity, not an ABI",
      hint: "give the ABI in its JSON form, as the compiler writes it",
    };
  }
  return undefined;
}

function describe(value: unknown): string {
  if (value === null) return "null";
  if (typeof value !== "object") return `a ${typeof value}`;
  const key = Object.keys(value)[0];
  return key === undefined ? "an empty object" : `an object with ${JSON.stringify(key.slice(0, 30))}`;
}
