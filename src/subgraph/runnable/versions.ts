import type { ManifestNode } from "../manifest/manifest-node.js";

/** A range of supported versions, both ends inclusive. */
export interface VersionRange {
  readonly first: string;
  readonly last: string;
}

/** As in graph-node. Version 0.0.3 was never defined, but some manifests have it. */
export const specVersions: VersionRange = { first: "0.0.2", last: "1.5.0" };
const apiVersions: VersionRange = { first: "0.0.5", last: "0.0.10" };

const version = /^\d+\.\d+\.\d+$/;

/** The version in a manifest's value. @throws BundleError if it is not supported */
export function checkVersion(node: ManifestNode, { first, last }: VersionRange): string {
  const text = node.text();
  if (version.test(text) && isAtLeast(text, first) && isAtLeast(last, text)) return text;
  throw node.error(`is ${text}; supported versions are ${first} to ${last}`);
}

/** The version of a mapping. @throws BundleError if it is not supported */
function checkApiVersion(node: ManifestNode): string {
  const text = node.text();
  if (!version.test(text) || isAtLeast(text, apiVersions.first)) return checkVersion(node, apiVersions);
  throw node.error(
    `is ${text}, whose objects lie in memory as AssemblyScript 0.6 laid them out; supported versions are ${apiVersions.first} to ${apiVersions.last}: update graph-ts to 0.25 or later, raise apiVersion in every mapping, and build it again`,
  );
}

/** The `apiVersion` that all sources share. */
export function checkApiVersions(first: ManifestNode, others: readonly ManifestNode[]): string {
  const versionOf = (source: ManifestNode): string => checkApiVersion(source.at("mapping").at("apiVersion"));
  const common = versionOf(first);
  for (const source of others) {
    const own = versionOf(source);
    if (own === common) continue;
    const node = source.at("mapping").at("apiVersion");
    throw node.error(`is ${own}, but another source has ${common}: all sources must have one version`);
  }
  return common;
}

/** Whether a version is at least another. */
export function isAtLeast(text: string, wanted: string): boolean {
  const own = text.split(".").map(Number);
  for (const [index, part] of wanted.split(".").map(Number).entries()) {
    const difference = (own[index] ?? 0) - part;
    if (difference !== 0) return difference > 0;
  }
  return true;
}
