import { posix } from "node:path";
import { quoteForeign } from "../base/text/quote-foreign.js";
import { type Build, linkedManifestPath, manifestPath } from "./build.js";
import { BundleError } from "./bundle-error.js";
import { configPlacesPath } from "./config-places.js";
import { linkError, linkPath } from "./link-path.js";
import { type Link, linksOf } from "./manifest/links.js";
import { type ParsedManifest, parseManifest } from "./manifest/parse-manifest.js";
import { mapFactsPath } from "./map-facts.js";

/** A parsed manifest, before the files it links to are read. */
export interface ManifestFile {
  /** The path that messages show: `build/mainnet/subgraph.yaml`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly parsed: ParsedManifest;
}

/**
 * Collects a build from a set of files, which may include others: the output of `build`, or the files of a folder.
 * @throws BundleError if the manifest is missing, invalid, or belongs to a project or a deployment; if a linked
 *   file is missing or outside the manifest's folder; if a mapping is not WASM
 */
export function collectBuild(from: {
  /** Path of the manifest among the files: `build/mainnet/subgraph.yaml`. */
  readonly manifest: string;
  readonly files: ReadonlyMap<string, string | Uint8Array>;
}): Build {
  const text = from.files.get(from.manifest);
  if (text === undefined) {
    throw new BundleError(`${quoteForeign(from.manifest)} does not exist; build the subgraph first`);
  }
  const folder = posix.dirname(from.manifest);
  const contentOf = (path: string) => from.files.get(posix.join(folder, path));
  const build = completeBuild(readManifestFile(from.manifest, text), contentOf);
  const carried = [configPlacesPath, mapFactsPath, linkedManifestPath].flatMap((path) => {
    const content = contentOf(path);
    return content === undefined ? [] : [[path, bytesOf(content)] as const];
  });
  return carried.length === 0 ? build : { ...build, files: new Map([...build.files, ...carried]) };
}

/** @throws BundleError for an invalid manifest */
export function readManifestFile(name: string, content: string | Uint8Array): ManifestFile {
  const bytes = bytesOf(content);
  return { name, bytes, parsed: parseManifest(new TextDecoder().decode(bytes), name) };
}

/**
 * The paths that a manifest links to, relative to it, including duplicates.
 * @throws BundleError for links that are not paths inside its folder
 */
export function linkedPaths({ name, parsed }: ManifestFile): readonly string[] {
  return linksOf(parsed.toData()).map((link) => linkPath(link, name));
}

/**
 * Completes a manifest with the files it links to.
 * @param contentOf returns a file by its path relative to the manifest
 * @throws BundleError for missing files, and for mappings that are not WASM
 */
export function completeBuild(
  { name, bytes, parsed }: ManifestFile,
  contentOf: (path: string) => string | Uint8Array | undefined,
): Build {
  const manifest = parsed.toData();
  const files = new Map([[manifestPath, bytes]]);
  for (const link of linksOf(manifest)) {
    const path = linkPath(link, name);
    const content = contentOf(path);
    if (content === undefined)
      throw linkError(name, link, `refers to ${quoteForeign(path)}, which does not exist`);
    const file = bytesOf(content);
    checkWasm(file, link, name);
    files.set(path, file);
  }
  return { manifest, parsed, files };
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
