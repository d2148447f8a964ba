import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  type ParsedNode,
  parseAllDocuments,
  visit,
} from "yaml";
import { DeterministicError } from "../errors.js";
import { deeper } from "./depth.js";
import { readYamlScalar } from "./yaml-scalar.js";

export type YamlTree =
  | { readonly kind: "null" }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "number" | "string"; readonly value: string }
  | { readonly kind: "array"; readonly value: readonly YamlTree[] }
  | { readonly kind: "object"; readonly value: readonly (readonly [YamlTree, YamlTree])[] }
  /** A value with a custom tag, such as `!name`. */
  | { readonly kind: "tagged"; readonly tag: string; readonly value: YamlTree };

/** Limit of alias expansions per node of the document, because aliases can expand a short document endlessly. */
const followedPerNode = 100;
/** Everything but the characters that YAML allows. */
const forbidden = /[^\t\n\r\u{20}-\u{7e}\u{85}\u{a0}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
/** Limit of nodes: more than any document of the allowed size has without aliases. */
const greatestNodes = 10_000_000;

/** @throws DeterministicError when the text is not a single YAML document or is nested too deeply */
export function parseYamlTree(text: string): YamlTree {
  if (forbidden.test(text)) throw new DeterministicError("the YAML contains control characters");
  const documents = parseAllDocuments(text, {
    version: "1.2",
    // Scalars stay unchanged written, and keys are compared once their values are known.
    schema: "failsafe",
    uniqueKeys: false,
    logLevel: "error",
  });
  if (!Array.isArray(documents) || documents.length === 0) return { kind: "null" };
  const [document] = documents;
  if (!document || documents.length > 1) throw new DeterministicError("the YAML has more than one document");
  const [error] = document.errors;
  if (error) throw new DeterministicError(`the YAML is invalid: ${error.message}`);
  return new Walk(document).tree(document.contents, 0);
}

class Walk {
  readonly #targets = new Map<Alias, Node>();
  #aliasesLeft: number;
  #nodesLeft = greatestNodes;

  constructor(document: Document.Parsed<ParsedNode>) {
    const anchors = new Map<string, Node>();
    let written = 0;
    // An alias refers to the last preceding anchor with its name.
    visit(document, {
      Node: (_, node) => {
        written += 1;
        if (isAlias(node)) {
          const target = anchors.get(node.source);
          if (target) this.#targets.set(node, target);
        } else if (node.anchor !== undefined) {
          anchors.set(node.anchor, node);
        }
      },
    });
    this.#aliasesLeft = written * followedPerNode;
  }

  tree(node: unknown, depth: number): YamlTree {
    this.#nodesLeft -= 1;
    if (this.#nodesLeft < 0) throw new DeterministicError("aliases in the YAML expand too far");
    if (isAlias(node)) return this.tree(this.#followed(node), deeper(depth));
    const value = this.#untagged(node, depth);
    const tag = isTagged(node) ? node.tag : undefined;
    if (!tag?.startsWith("!")) return value;
    // graph-node writes another exclamation mark before the tag of `! 5`.
    return { kind: "tagged", tag: tag === "!" ? "!!" : tag, value };
  }

  #untagged(node: unknown, depth: number): YamlTree {
    if (isScalar(node)) return readYamlScalar(node);
    if (isSeq(node)) {
      const next = deeper(depth);
      return { kind: "array", value: node.items.map((item) => this.tree(item, next)) };
    }
    if (isMap(node)) {
      const next = deeper(depth);
      const keys = new Set<string>();
      const entries = node.items.map(({ key, value }) => {
        const name = this.tree(key, next);
        const text = JSON.stringify(name);
        if (keys.has(text)) throw new DeterministicError(`the YAML has the key ${text} twice`);
        keys.add(text);
        return [name, this.tree(value, next)] as const;
      });
      return { kind: "object", value: entries };
    }
    return { kind: "null" };
  }

  #followed(alias: Alias): Node {
    const node = this.#targets.get(alias);
    if (!node) throw new DeterministicError(`the YAML refers to an unknown anchor ${alias.source}`);
    this.#aliasesLeft -= 1;
    if (this.#aliasesLeft < 0) throw new DeterministicError("aliases in the YAML expand too far");
    return node;
  }
}

function isTagged(node: unknown): node is { readonly tag: string } {
  return (isScalar(node) || isSeq(node) || isMap(node)) && typeof node.tag === "string";
}
