import { parseDocument } from "yaml";
import { quoteForeign } from "../base/quote-foreign.js";
import { visible } from "../base/visible.js";
import { BundleError } from "./bundle-error.js";

/** Any value of a manifest. */
export type ManifestValue = string | number | boolean | null | readonly ManifestValue[] | ManifestMap;

export interface ManifestMap {
  readonly [key: string]: ManifestValue | undefined;
}

/** The manifest of a subgraph as plain data that cannot be changed. */
export interface Manifest extends ManifestMap {
  readonly schema: ManifestMap;
  readonly dataSources: readonly ManifestMap[];
  readonly templates?: readonly ManifestMap[];
}

/**
 * Reads a manifest. Checked is only what everybody who deploys it relies on.
 * @param name what messages call it: `build/subgraph.yaml`
 * @throws BundleError for what is no manifest
 */
export function parseManifest(text: string, name: string): Manifest {
  const value = freeze(parseYaml(text, name));
  const lack = lackOf(value);
  if (lack !== undefined) {
    throw new BundleError(`${quoteForeign(name)} is not the manifest of a subgraph: ${lack}`);
  }
  return value as Manifest;
}

export function isMap(value: ManifestValue | undefined): value is ManifestMap {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseYaml(text: string, name: string): ManifestValue {
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error) throw notYaml(name, error.message);
    return document.toJS();
  } catch (error) {
    // What the parser throws at aliases without an anchor, at those that would blow the document up, and at depths
    // for which the stack is too small.
    if (error instanceof ReferenceError || error instanceof RangeError) throw notYaml(name, error.message);
    throw error;
  }
}

/** The message of the parser goes on with an excerpt. */
function notYaml(name: string, message: string): BundleError {
  const [firstLine = ""] = message.split("\n");
  const why = /call stack/i.test(firstLine)
    ? "it is nested too deeply"
    : visible(firstLine.replace(/:$/, ""));
  return new BundleError(`${quoteForeign(name)} is not YAML: ${why}`);
}

/** What a manifest must have and this value has not. */
function lackOf(value: ManifestValue): string | undefined {
  if (!isMap(value)) return "it is not a map";
  if (value.specVersion === undefined) return 'it has no "specVersion"';
  if (!isMap(value.schema)) return 'it has no "schema" with a "file"';
  const { dataSources, templates = [] } = value;
  if (!Array.isArray(dataSources) || dataSources.length === 0) return 'it has no "dataSources"';
  if (!Array.isArray(templates)) return 'its "templates" are not a list';
  const isSource = (source: ManifestValue): boolean =>
    isMap(source) && typeof source.name === "string" && isMap(source.mapping);
  if (![...dataSources, ...templates].every(isSource)) {
    return 'a data source or template has no "name" or no "mapping"';
  }
  return undefined;
}

function freeze(value: ManifestValue): ManifestValue {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freeze(part as ManifestValue);
  }
  return value;
}
