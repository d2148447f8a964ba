import { type Document, parseDocument } from "yaml";
import { quoteForeign } from "../../base/quote-foreign.js";
import { visible } from "../../base/visible.js";
import { BundleError } from "../bundle-error.js";
import { lackOf, type Manifest, type ManifestValue } from "./manifest.js";
import { ManifestNode } from "./manifest-node.js";

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
 * @throws BundleError for text that is not YAML
 */
export function parseManifest(text: string, name?: string): ParsedManifest {
  const refuse = (message: string): BundleError => notYaml(message, name);
  const document = guarded(() => parseDocument(text), refuse);
  const [error] = document.errors;
  if (error) throw refuse(error.message);
  let data: Manifest | undefined;
  return {
    root: ManifestNode.of(document),
    toData() {
      data ??= checked(
        guarded(() => plainData(document), refuse),
        name,
      );
      return data;
    },
  };
}

function plainData(document: Document): ManifestValue {
  return freeze(document.toJS());
}

/**
 * Does something that throws for aliases without an anchor, for those that would blow the document up, and at depths
 * for which the stack is too small.
 */
function guarded<T>(task: () => T, refuse: (message: string) => BundleError): T {
  try {
    return task();
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof RangeError) throw refuse(error.message);
    throw error;
  }
}

/** The message of the parser goes on with an excerpt, which is left out where others stand beside it. */
function notYaml(message: string, name: string | undefined): BundleError {
  if (name === undefined) return new BundleError(`the manifest is not YAML: ${message}`);
  const [firstLine = ""] = message.split("\n");
  const why = /call stack/i.test(firstLine)
    ? "it is nested too deeply"
    : visible(firstLine.replace(/:$/, ""));
  return new BundleError(`${quoteForeign(name)} is not YAML: ${why}`);
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
