import { type Document, isScalar, LineCounter, parseDocument, type Scalar, visit } from "yaml";
import { quoteForeign } from "../../base/text/quote-foreign.js";
import { visible } from "../../base/text/visible.js";
import { BundleError } from "../bundle-error.js";
import { type AliasTargets, aliasTargets } from "./alias-targets.js";
import { excessOfText, excessOfValue } from "./check-extent.js";
import { lackOf, type Manifest, type ManifestValue } from "./manifest.js";
import { ManifestNode } from "./manifest-node.js";

/** A parsed manifest, shared by all its readers. Does not check the requirements of the runtime. */
export class ParsedManifest {
  /** The values with their paths; types are checked when a value is read. */
  readonly root: ManifestNode;
  readonly #document: Document;
  readonly #read: () => Manifest;
  #data: Manifest | undefined;

  /** @param read converts the document to data */
  constructor(document: Document, lines: LineCounter, targets: AliasTargets, read: () => Manifest) {
    this.root = ManifestNode.of(document, lines, targets);
    this.#document = document;
    this.#read = read;
  }

  /** A copy of the syntax tree with its comments, to be changed and printed. */
  copy(): Document {
    return this.#document.clone();
  }

  /**
   * The manifest as plain data. Checks only the requirements of all deployment targets.
   * @throws BundleError if one is violated
   */
  toData(): Manifest {
    this.#data ??= this.#read();
    return this.#data;
  }
}

/**
 * Parses a manifest.
 * @param name the path that messages show, `build/subgraph.yaml`; "the manifest" by default
 * @throws BundleError for text that is not YAML, and for text that exceeds the limits of size and depth
 */
export function parseManifest(text: string, name?: string): ParsedManifest {
  const refuse = (message: string): BundleError => notYaml(message, name);
  const excess = excessOfText(text);
  if (excess !== undefined) throw excessive(excess, name);
  const lines = new LineCounter();
  const document = guarded(() => documentOf(text, lines, refuse), refuse);
  const data = (): ManifestValue => guarded(() => plainData(document, name), refuse);
  const targets: AliasTargets = text.includes("*") ? aliasTargets(document) : new Map();
  // Values behind aliases can be read only if their expansion is limited.
  if (targets.size > 0) data();
  return new ParsedManifest(document, lines, targets, () => checked(data(), name));
}

/** @throws BundleError for text that is not YAML */
function documentOf(text: string, lines: LineCounter, refuse: (message: string) => BundleError): Document {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: "error", lineCounter: lines });
  const [error] = document.errors;
  if (error) throw refuse(error.message);
  const twice = repeatedKey(document);
  if (!twice) return document;
  const { line, col } = lines.linePos(twice.range?.[0] ?? 0);
  throw refuse(`the key ${JSON.stringify(twice.value)} is repeated in a map at line ${line}, column ${col}`);
}

function plainData(document: Document, name: string | undefined): ManifestValue {
  const data = document.toJS() as ManifestValue;
  const excess = excessOfValue(data);
  if (excess !== undefined) throw excessive(excess, name);
  return freeze(data);
}

/** Runs a task that throws for aliases without an anchor, and for aliases that expand too far. */
function guarded<T>(task: () => T, refuse: (message: string) => BundleError): T {
  try {
    return task();
  } catch (error) {
    if (error instanceof ReferenceError) throw refuse(error.message);
    throw error;
  }
}

/** The parser's message ends with an excerpt, which is left out when several messages are listed. */
function notYaml(message: string, name: string | undefined): BundleError {
  if (name === undefined) return new BundleError(`the manifest is not YAML: ${message}`);
  const [firstLine = ""] = message.split("\n");
  return new BundleError(`${quoteForeign(name)} is not YAML: ${visible(firstLine.replace(/:$/, ""))}`);
}

/** The error for text that exceeds the limits and is not parsed. */
function excessive(why: string, name: string | undefined): BundleError {
  const what = name === undefined ? "the manifest" : quoteForeign(name);
  return new BundleError(`${what} cannot be read: ${visible(why)}`);
}

function checked(value: ManifestValue, name = "subgraph.yaml"): Manifest {
  const lack = lackOf(value);
  if (lack !== undefined) {
    throw new BundleError(`${quoteForeign(name)} is not the manifest of a subgraph: ${lack}`);
  }
  return value as Manifest;
}

function freeze(value: ManifestValue): ManifestValue {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part as ManifestValue);
  }
  return value;
}

/** The first duplicate key in a document's maps. The parser's own search takes quadratic time. */
function repeatedKey(document: Document): Scalar | undefined {
  let found: Scalar | undefined;
  visit(document, {
    Map(_, { items }) {
      const seen = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          found = key;
          return visit.BREAK;
        }
        seen.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}
