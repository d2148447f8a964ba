import { posix } from "node:path";
import { quoteForeign } from "../base/quote-foreign.js";
import { type Build, manifestPath } from "./build.js";
import { BundleError } from "./bundle-error.js";
import { linkError, linkPath } from "./link-path.js";
import { type Link, linksOf } from "./manifest/links.js";
import type { Manifest } from "./manifest/manifest.js";
import { parseManifest } from "./manifest/parse-manifest.js";

/** A manifest on its own, before the files are there that it refers to. */
export interface ManifestFile {
  /** What messages call it: `build/mainnet/subgraph.yaml`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly manifest: Manifest;
}

/**
 * Collects a build from files among which there may be others: what `build` gives, or a folder that was read.
 * @throws BundleError when the manifest is missing or none, when it is that of a project or of a deployment, and when
 * something it refers to is missing, lies outside its folder or is no WASM where it should be
 */
export function collectBuild(from: {
  /** Path of the manifest among the files: `build/mainnet/subgraph.yaml`. */
  readonly manifest: string;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}): Build {
  const text = from.files.get(from.manifest);
  if (text === undefined) {
    throw new BundleError(`${quoteForeign(from.manifest)} is not there; build the subgraph first`);
  }
  const folder = posix.dirname(from.manifest);
  return completeBuild(readManifestFile(from.manifest, text), (path) =>
    from.files.get(posix.join(folder, path)),
  );
}

/** @throws BundleError for what is no manifest */
export function readManifestFile(name: string, content: string | Uint8Array): ManifestFile {
  const bytes = bytesOf(content);
  return { name, bytes, manifest: parseManifest(new TextDecoder().decode(bytes), name).toData() };
}

/**
 * The paths that a manifest refers to, relative to it; one may come several times.
 * @throws BundleError for links that are no paths inside of its folder
 */
export function linkedPaths({ name, manifest }: ManifestFile): readonly string[] {
  return linksOf(manifest).map((link) => linkPath(link, name));
}

/**
 * Adds to a manifest what it refers to.
 * @param contentOf gives a file by its path relative to the manifest
 * @throws BundleError for files that are missing, and for mappings that are no WASM
 */
export function completeBuild(
  { name, bytes, manifest }: ManifestFile,
  contentOf: (path: string) => string | Uint8Array | undefined,
): Build {
  const files = new Map([[manifestPath, bytes]]);
  for (const link of linksOf(manifest)) {
    const path = linkPath(link, name);
    const content = contentOf(path);
    if (content === undefined)
      throw linkError(name, link, `refers to ${quoteForeign(path)}, which is not there`);
    const file = bytesOf(content);
    checkWasm(file, link, name);
    files.set(path, file);
  }
  return { manifest, files };
}

const wasmMagic = [0x00, 0x61, 0x73, 0x6d];

function checkWasm(file: Uint8Array, link: Link, manifest: string): void {
  if (link.role.kind !== "mapping" || wasmMagic.every((byte, index) => file[index] === byte)) return;
  throw linkError(
    manifest,
    link,
    `refers to ${quoteForeign(String(link.target))}, which is not WASM; build the subgraph again`,
  );
}

function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}
