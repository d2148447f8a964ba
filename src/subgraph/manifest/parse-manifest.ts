import { type Document, LineCounter, parseDocument } from "yaml";
import { quoteForeign } from "../../base/quote-foreign.js";
import { visible } from "../../base/visible.js";
import { BundleError } from "../bundle-error.js";
import { excessOfText, excessOfValue } from "./check-extent.js";
import { lackOf, type Manifest, type ManifestValue } from "./manifest.js";
import { ManifestNode } from "./manifest-node.js";
import { repeatedKey } from "./repeated-key.js";

/** A manifest that was parsed once, for all who read it. Nothing is refused for what it asks of who runs it. */
export interface ParsedManifest {
  /** Its values with their places; whoever reads one checks it. */
  readonly root: ManifestNode;
  /**
   * The same as plain data. Checked is only what everybody who deploys it relies on.
   * @throws BundleError for what is no manifest
   */
  toData(): Manifest;
}

/**
 * Parses a manifest.
 * @param name what messages call it, `build/subgraph.yaml`; without one, they say "the manifest"
 * @throws BundleError for text that is not YAML, and for what is larger or deeper than any manifest
 */
export function parseManifest(text: string, name?: string): ParsedManifest {
  const refuse = (message: string): BundleError => notYaml(message, name);
  const excess = excessOfText(text);
  if (excess !== undefined) throw excessive(excess, name);
  const lines = new LineCounter();
  const document = guarded(() => documentOf(text, lines, refuse), refuse);
  let data: Manifest | undefined;
  return {
    root: ManifestNode.of(document, lines),
    toData() {
      data ??= checked(
        guarded(() => plainData(document, name), refuse),
        name,
      );
      return data;
    },
  };
}

/** @throws BundleError for what is not YAML */
function documentOf(text: string, lines: LineCounter, refuse: (message: string) => BundleError): Document {
  const document = parseDocument(text, { uniqueKeys: false, logLevel: "error", lineCounter: lines });
  const [error] = document.errors;
  if (error) throw refuse(error.message);
  const twice = repeatedKey(document);
  if (!twice) return document;
  const { line, col } = lines.linePos(twice.range?.[0] ?? 0);
  throw refuse(`the key ${JSON.stringify(twice.value)} comes twice in a map at line ${line}, column ${col}`);
}

function plainData(document: Document, name: string | undefined): ManifestValue {
  const data = document.toJS() as ManifestValue;
  const excess = excessOfValue(data);
  if (excess !== undefined) throw excessive(excess, name);
  return freeze(data);
}

/**
 * Does something that throws for aliases without an anchor, and for those that would blow the document up.
 */
function guarded<T>(task: () => T, refuse: (message: string) => BundleError): T {
  try {
    return task();
  } catch (error) {
    if (error instanceof ReferenceError) throw refuse(error.message);
    throw error;
  }
}

/** The message of the parser goes on with an excerpt, which is left out where others stand beside it. */
function notYaml(message: string, name: string | undefined): BundleError {
  if (name === undefined) return new BundleError(`the manifest is not YAML: ${message}`);
  const [firstLine = ""] = message.split("\n");
  return new BundleError(`${quoteForeign(name)} is not YAML: ${visible(firstLine.replace(/:$/, ""))}`);
}

/** What may be YAML, and is not read. */
function excessive(why: string, name: string | undefined): BundleError {
  const what = name === undefined ? "the manifest" : quoteForeign(name);
  return new BundleError(`${what} is not read: ${visible(why)}`);
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
