import type { RelatedPlace } from "../diagnostics/diagnostic.js";
import { Report } from "../diagnostics/report.js";
import { mapEscapes } from "../parse/json-escapes.js";
import { parseJsonSource } from "../parse/parse-json-source.js";
import { childPointer, type Location, type Span } from "../source/source.js";
import type { StringMap } from "../source/string-map.js";
import { toPlain } from "../source/to-plain.js";
import { type ArrayNode, memberAt, nodeAt, type TreeNode, type TreePath } from "../source/tree.js";
import {
  contractPaths,
  type NoAbi,
  property,
  refuseAnswer,
  refuseArray,
  refuseText,
  refuseValue,
  wanted,
} from "./refuse-abi.js";
import { itemSpans, valueSpan } from "./skim-json.js";

/** A text that should contain an ABI, with a way to locate its parts in the user's files. */
export interface AbiText {
  readonly text: string;
  /** @param pointer JSON pointer of the part within the text */
  place(span: Span, pointer: string): Location;
}

/** The ABI in a text, or a predicate that says what the text is instead. */
export type FoundAbi =
  | {
      readonly kind: "abi";
      readonly entries: readonly unknown[];
      locateEntry(index: number, path?: TreePath): Location;
    }
  | (NoAbi & { readonly kind: "other"; readonly fault?: RelatedPlace });

/**
 * Paths of the ABI in a document: bare; in artifacts of Hardhat, Foundry and Truffle; in artifacts of 0x; in the
 * Solidity compiler's metadata, as on Sourcify; in a block explorer's response about the source code, and about the
 * ABI.
 */
export const abiHomes: readonly (readonly string[])[] = [
  [],
  ["abi"],
  ["compilerOutput", "abi"],
  ["output", "abi"],
  ["result", "0", "ABI"],
  ["result"],
];

/** Finds the ABI in the text of a file, or in a string of the configuration. */
export function findAbi(file: AbiText, depth = 0): FoundAbi {
  if (file.text.trim() === "") return other({ what: "is empty", hint: wanted });
  let value: unknown;
  try {
    value = JSON.parse(file.text);
  } catch {
    return fromLooseText(file, depth);
  }
  for (const path of [...abiHomes, ...contractHomes(value)]) {
    const candidate = path.reduce<unknown>(property, value);
    if (Array.isArray(candidate)) return fromArray(file, candidate, path);
    if (typeof candidate === "string" && depth < 2) return fromString(file, candidate, path, depth);
  }
  return other(refuseValue(value));
}

/** The path of the ABI in the Solidity compiler's output, if it covers only one contract. */
function contractHomes(value: unknown): readonly (readonly string[])[] {
  const paths = contractPaths(value);
  return paths.length === 1 ? paths : [];
}

function fromArray(file: AbiText, entries: readonly unknown[], path: readonly string[]): FoundAbi {
  const refusal = refuseArray(entries);
  if (refusal) return other(refusal);
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

/** The span of the value at a path in the text of one entry. */
function spanWithin(text: string, path: TreePath): Span & { readonly pointer: string } {
  const whole = { start: 0, end: text.length, pointer: "" };
  if (path.length === 0) return whole;
  const tree = parseJsonSource({ path: "", text }, "json", new Report());
  return tree ? nodeAt(tree, path).at : whole;
}

/** An ABI as a JSON string inside JSON, with another layer of escapes to map. */
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
  const refusal = refuseAnswer(text, path);
  return refusal ? other(refusal) : findAbi(within, depth + 1);
}

/** Maps the escapes of the string at a span. */
function mapWithin(text: string, { start, end }: Span): StringMap {
  return mapEscapes(text, start + 1, end - 1);
}

/** Reads a text that is not strict JSON. Accepts comments and trailing commas, as in a configuration. */
function fromLooseText(file: AbiText, depth: number): FoundAbi {
  const refusal = refuseText(file.text);
  if (refusal) return other(refusal);
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
    const refusal = refuseAnswer(value, path);
    return refusal ? other(refusal) : findAbi({ text: value, place }, depth + 1);
  }
  return other(refuseValue(toPlain(tree)));
}

function fromList(file: AbiText, list: ArrayNode): FoundAbi {
  const entries = list.items.map(toPlain);
  const refusal = refuseArray(entries);
  if (refusal) return other(refusal);
  const locateEntry = (index: number, inside: TreePath = []): Location => {
    const { at } = nodeAt(list, [index, ...inside]);
    return file.place(at, at.pointer);
  };
  return { kind: "abi", entries, locateEntry };
}

function other(refusal: NoAbi): FoundAbi {
  return { kind: "other", ...refusal };
}
