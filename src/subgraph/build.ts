import { posix } from "node:path";
import { quoteForeign } from "../base/quote-foreign.js";
import { visible } from "../base/visible.js";
import { BundleError } from "./bundle-error.js";
import { type Link, linksOf } from "./links.js";
import { isMap, type Manifest, parseManifest } from "./manifest.js";

export { BundleError } from "./bundle-error.js";

/** A built subgraph of one chain, ready to be deployed. */
export interface Build {
  /** The parsed manifest; cannot be changed. */
  readonly manifest: Manifest;
  /** `subgraph.yaml` and everything that it refers to, by path relative to it. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Where a build's manifest is found in it. */
export const MANIFEST_PATH = "subgraph.yaml";

/**
 * Collects a build from files among which there may be others: what `build` gives, or a folder that was read.
 * @throws BundleError when the manifest is missing or none, when it is that of a project or of a deployment, and when
 * something it refers to is missing, lies outside its folder or is no WASM where it should be
 */
export function readBuild(from: {
  /** Path of the manifest among the files: `build/mainnet/subgraph.yaml`. */
  readonly manifest: string;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}): Build {
  const text = from.files.get(from.manifest);
  if (text === undefined) {
    throw new BundleError(`${quoteForeign(from.manifest)} is not there; build the subgraph first`);
  }
  const bytes = bytesOf(text);
  const manifest = parseManifest(new TextDecoder().decode(bytes), from.manifest);
  const files = new Map([[MANIFEST_PATH, bytes]]);
  for (const link of linksOf(manifest)) {
    const path = pathOf(link, from.manifest);
    const content = from.files.get(posix.join(posix.dirname(from.manifest), path));
    if (content === undefined)
      throw error(from.manifest, link, `refers to ${quoteForeign(path)}, which is not there`);
    const file = bytesOf(content);
    checkWasm(file, link, from.manifest);
    files.set(path, file);
  }
  return { manifest, files };
}

/**
 * The network that a build is for, as graph-node calls it.
 * @throws BundleError when there is none, or when sources are on different ones
 */
export function networkOf({ manifest }: Build): string {
  const sources = [...manifest.dataSources, ...(manifest.templates ?? [])];
  const networks = [
    ...new Set(sources.flatMap(({ network }) => (typeof network === "string" ? [network] : []))),
  ];
  const [network] = networks;
  if (network === undefined) throw new BundleError('The manifest names no "network" in its data sources');
  if (networks.length > 1) {
    const names = networks.map(quoteForeign).join(" and ");
    throw new BundleError(
      `The manifest has sources on ${names}; all sources of a subgraph must be on one network`,
    );
  }
  return network;
}

/** The path a link names, relative to the manifest and in its shortest form. */
export function pathOf(link: Link, manifest: string): string {
  const { target } = link;
  const ipfs = isMap(target) ? target["/"] : target;
  if (isMap(target) || (typeof target === "string" && /^(?:\/ipfs\/|ipfs:)/.test(target))) {
    const where = typeof ipfs === "string" ? ` (${quoteForeign(ipfs)})` : "";
    throw error(
      manifest,
      link,
      `refers to IPFS${where}: it is the manifest of a deployment, not of a build; deploy that by its IPFS hash`,
    );
  }
  if (typeof target !== "string" || target === "") throw error(manifest, link, "does not name a file");
  if (/\.ts$/.test(target)) {
    throw error(
      manifest,
      link,
      `refers to the source ${quoteForeign(target)}: it is the manifest of a project, not of a build; ` +
        'build the project first and take the manifest in its build folder, "build/subgraph.yaml" mostly',
    );
  }
  if (target.includes("\\")) {
    throw error(manifest, link, `refers to ${quoteForeign(target)}; folders in a path are separated by "/"`);
  }
  const path = posix.normalize(target);
  if (posix.isAbsolute(path) || path === ".." || path.startsWith("../")) {
    throw error(
      manifest,
      link,
      `refers to ${quoteForeign(target)}, which is outside of its folder; move it inside`,
    );
  }
  if (path === MANIFEST_PATH)
    throw error(manifest, link, `refers to ${quoteForeign(target)}, which is the manifest's name`);
  return path;
}

const wasmMagic = [0x00, 0x61, 0x73, 0x6d];

function checkWasm(file: Uint8Array, link: Link, manifest: string): void {
  if (link.role.kind !== "mapping" || wasmMagic.every((byte, index) => file[index] === byte)) return;
  throw error(
    manifest,
    link,
    `refers to ${quoteForeign(String(link.target))}, which is not WASM; build the subgraph again`,
  );
}

function error(manifest: string, link: Link, fact: string): BundleError {
  return new BundleError(`${quoteForeign(manifest)} ${fact} (${visible(link.place)})`);
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}
