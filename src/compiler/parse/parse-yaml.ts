import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from "yaml";
import { quote } from "../../base/text/quote.js";
import type { Code } from "../diagnostics/catalog.js";
import { nearName } from "../diagnostics/correct-name.js";
import type { Details } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import { locatedString } from "../source/located-string.js";
import { childPointer, type LocatedString, type Location, type Source } from "../source/source.js";
import type { Member, TreeNode } from "../source/tree.js";
import { composeYaml } from "./compose-yaml.js";
import { maxDepth, tooDeep } from "./limits.js";
import { mapYamlString, type YamlStyle } from "./yaml-string.js";

/** Limit of the values that aliases may add to a document; each alias may expand to a whole document. */
const maxAliased = 100_000;

/**
 * Parses YAML 1.2 (core schema) to a tree. Expands anchors, aliases and merge keys within limits.
 * @returns `undefined` after a reported error
 */
export function parseYaml(source: Source, report: Report): TreeNode | undefined {
  const document = composeYaml(source, report);
  if (!document) return undefined;
  const reader = new YamlReader(source, report);
  const tree = reader.value(document.contents, "", 0, source.text.length);
  return reader.sound ? tree : undefined;
}

class YamlReader {
  readonly #source: Source;
  readonly #report: Report;
  /** The last node of each anchor; `undefined` while the node itself is being read. */
  readonly #anchors = new Map<string, Node | undefined>();
  /** Depth of nested aliases at the current value, and the number of values that aliases have added. */
  #aliasDepth = 0;
  /** The outermost alias around the current value. */
  #outermost: Location | undefined;
  #aliased = 0;
  sound = true;

  constructor(source: Source, report: Report) {
    this.#source = source;
    this.#report = report;
  }

  /** @param gap location of an omitted value */
  value(node: Node | null, pointer: string, depth: number, gap: number): TreeNode {
    if (!node) return { kind: "null", at: this.#location(gap, gap, pointer) };
    if (isAlias(node)) return this.#alias(node, pointer, depth);
    const at = this.#place(node, pointer);
    if (this.#aliasDepth > 0) this.#aliased += 1;
    if (depth > maxDepth) return this.#fault("too-deep", { ...at, pointer: "" }, ...tooDeep);
    if (this.#aliased > maxAliased) {
      // After a reported error, abandon the rest of the expansion.
      if (!this.sound) return { kind: "null", at };
      return this.#fault(
        "yaml-aliases",
        this.#outermost ?? at,
        `aliases repeat more than ${maxAliased} values`,
        {
          label: "this alias exceeds the limit",
          hint: "nest fewer aliases",
        },
      );
    }
    const anchor = "anchor" in node ? (node.anchor as string | undefined) : undefined;
    if (anchor !== undefined) this.#anchors.set(anchor, undefined);
    const tree = this.#read(node, at, depth);
    if (anchor !== undefined) this.#anchors.set(anchor, node);
    return tree;
  }

  #read(node: Node, at: Location, depth: number): TreeNode {
    if (isMap(node)) return this.#object(node, at, depth);
    if (isSeq(node)) {
      const items = node.items.map((item, index) =>
        this.value(item as Node | null, childPointer(at.pointer, index), depth + 1, at.start),
      );
      return { kind: "array", at, items };
    }
    return this.#scalar(node as Scalar, at);
  }

  #scalar(node: Scalar, at: Location): TreeNode {
    const { value } = node;
    if (typeof value === "string") return { kind: "string", ...this.#string(node, value, at) };
    if (typeof value === "boolean") return { kind: "boolean", value, at };
    if (typeof value === "number") return { kind: "number", value: value === 0 ? 0 : value, at };
    return { kind: "null", at };
  }

  #object(map: YAMLMap, at: Location, depth: number): TreeNode {
    const members: Member[] = [];
    const merged: Member[] = [];
    const seen = new Map<string, Location>();
    for (const pair of map.items as Pair<Node | null, Node | null>[]) {
      const key = this.#key(pair.key, at);
      if (!key) continue;
      const gap = key.at.end;
      if (isMergeKey(pair)) {
        merged.push(...this.#merge(pair.value, at.pointer, depth));
        continue;
      }
      const value = this.value(pair.value, key.at.pointer, depth + 1, gap);
      const first = seen.get(key.value);
      if (first) this.#duplicate(key, first);
      else seen.set(key.value, key.at);
      members.push({ key, value });
    }
    for (const member of merged) {
      if (seen.has(member.key.value)) continue;
      seen.set(member.key.value, member.key.at);
      members.push(member);
    }
    return { kind: "object", at, members };
  }

  #key(node: Node | null, parent: Location): LocatedString | undefined {
    if (isScalar(node) && typeof node.value === "string") {
      const at = this.#place(node, childPointer(parent.pointer, node.value));
      const key = this.#string(node, node.value, at);
      if (node.anchor !== undefined) this.#anchors.set(node.anchor, node);
      return key;
    }
    const at = node ? this.#place(node, parent.pointer) : { ...parent, end: parent.start };
    this.#fault(
      "yaml-key",
      at,
      "a key must be text",
      wrongKey(node, this.#source.text.slice(at.start, at.end)),
    );
    return undefined;
  }

  /** The members that `<<: *other` (or a list of aliases) merges in. Keys beside it take precedence.. */
  #merge(node: Node | null, pointer: string, depth: number): readonly Member[] {
    const sources = isSeq(node) ? (node.items as Node[]) : [node];
    return sources.flatMap((item) => {
      const tree = item && this.value(item, pointer, depth, item.range?.[0] ?? 0);
      if (tree?.kind === "object") return tree.members;
      if (item && this.sound) {
        const at = this.#place(item, pointer);
        this.#fault("yaml-merge", at, '"<<" needs an alias of an object', wrongMerge(item, this.#anchors));
      }
      return [];
    });
  }

  #alias(node: Alias, pointer: string, depth: number): TreeNode {
    const at = this.#place(node, pointer);
    const name = quote(node.source);
    if (!this.#anchors.has(node.source)) {
      const message = `no anchor named ${name} comes before this alias`;
      return this.#fault("yaml-alias", at, message, missingAnchor(node.source, at, this.#anchors));
    }
    const target = this.#anchors.get(node.source);
    if (!target) {
      return this.#fault("yaml-alias", at, `the value of anchor ${name} contains itself`, {
        label: `inside the value of &${node.source}`,
        hint: "write the value out",
      });
    }
    if (this.#aliasDepth === 0) this.#outermost = at;
    this.#aliasDepth += 1;
    const tree = this.value(target, pointer, depth, at.start);
    this.#aliasDepth -= 1;
    return tree;
  }

  #string(node: Scalar, value: string, at: Location): LocatedString {
    const { text } = this.#source;
    const { from, to, style } = contentOf(node, at);
    if (to - from === value.length && style !== "block") return locatedString(value, at, from);
    return locatedString(value, at, () => mapYamlString(text, from, to, value, style));
  }

  #duplicate(key: LocatedString, first: Location): void {
    this.#fault("duplicate-key", key.at, `the key ${quote(key.value)} is already used in this object`, {
      label: "only one of the two can apply",
      related: [{ at: first, text: "first used here" }],
      hint: "remove one of the two",
    });
  }

  #fault(code: Code, at: Location, message: string, details: Details = {}): TreeNode {
    this.sound = false;
    this.#report.error(code, at, message, details);
    return { kind: "null", at };
  }

  #place(node: Node, pointer: string): Location {
    const [start, end] = node.range as [number, number, number];
    return this.#location(start, end, pointer);
  }

  #location(start: number, end: number, pointer: string): Location {
    return { source: this.#source, pointer, start, end };
  }
}

function isMergeKey({ key, value }: Pair<Node | null, Node | null>): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN" && value !== null;
}

/** The range of a scalar's content, without quotes or block header. */
function contentOf(node: Scalar, at: Location): { from: number; to: number; style: YamlStyle } {
  const token = node.srcToken;
  switch (token?.type) {
    case "single-quoted-scalar":
      return { from: at.start + 1, to: at.end - 1, style: "single" };
    case "double-quoted-scalar":
      return { from: at.start + 1, to: at.end - 1, style: "double" };
    case "block-scalar":
      return { from: at.end - token.source.length, to: at.end, style: "block" };
    default:
      return { from: at.start, to: at.end, style: "plain" };
  }
}

// Details about frequent slips in YAML, in addition to the error itself.

/** The details of a key that is not a string; `written` is its source text. */
function wrongKey(node: Node | null, written: string): Details {
  if (!isScalar(node) || node.value === null) {
    const label = isMap(node) ? "an object" : isSeq(node) ? "a list" : isAlias(node) ? "an alias" : "nothing";
    return { label: `${label} as a key`, hint: "write a name before the colon" };
  }
  const label = typeof node.value === "boolean" ? "true or false" : "a number";
  return { label: `${label}, because it has no quotes`, hint: `write ${quote(written)}, in quotes` };
}

/** The details of a value of `<<` that is not an object; `anchors` are the names known so far. */
function wrongMerge(node: Node, anchors: ReadonlyMap<string, unknown>): Details {
  if (isAlias(node)) return { label: "an alias of something else", hint: "name an anchored object" };
  const name = isScalar(node) ? String(node.value) : "";
  return {
    label: "not an alias",
    hint: anchors.has(name) ? `write *${name}` : "name an anchored object, such as <<: *defaults",
  };
}

/** The details of an alias without a preceding anchor; `anchors` are the preceding names. */
function missingAnchor(name: string, at: Location, anchors: ReadonlyMap<string, unknown>): Details {
  const label = "no such anchor before this alias";
  const later = placeOfAnchor(name, at);
  if (later) {
    return {
      label,
      related: [{ at: later, text: "the anchor comes later" }],
      hint: "move the anchor before its aliases",
    };
  }
  const near = nearName(name, anchors.keys());
  return { label, hint: near ? `write *${near.name}` : `put &${name} before the value it stands for` };
}

/** The location of an anchor after a location. */
function placeOfAnchor(name: string, { source, end: from, pointer }: Location): Location | undefined {
  const anchor = `&${name}`;
  for (let start = source.text.indexOf(anchor, from); start !== -1; ) {
    const end = start + anchor.length;
    if (/\s/.test(source.text[start - 1] ?? " ") && /\s/.test(source.text[end] ?? " "))
      return { source, pointer, start, end };
    start = source.text.indexOf(anchor, end);
  }
  return undefined;
}
