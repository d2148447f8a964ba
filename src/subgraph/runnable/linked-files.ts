import { posix } from "node:path";
import { Abi } from "../abi.js";
import { BundleError } from "../bundle-error.js";
import type { ManifestNode } from "../manifest/manifest-node.js";
import type { BuiltFiles } from "./built-subgraph.js";

/** The files of a build, by their links in the manifest. */
export class LinkedFiles {
  readonly #built: BuiltFiles;
  /** The WASM modules requested so far, by path. */
  readonly modules = new Map<string, Uint8Array>();
  readonly #abis = new Map<string, Abi>();
  readonly #decoder = new TextDecoder();
  readonly #encoder = new TextEncoder();

  constructor(built: BuiltFiles) {
    this.#built = built;
  }

  /**
   * The text of the manifest.
   * @throws BundleError if it is missing
   */
  manifest(): string {
    const { manifest, files } = this.#built;
    const content = files.get(manifest);
    if (content !== undefined) return this.#toText(content);
    throw new BundleError(`the build does not contain ${manifest}`);
  }

  /** The text of the schema that a manifest links to. @throws as `text` */
  schema(manifest: ManifestNode): string {
    return this.text(manifest.at("schema").at("file"));
  }

  /** @throws BundleError for a link to a missing file or to IPFS */
  text(link: ManifestNode): string {
    return this.#toText(this.#find(link));
  }

  /** The ABI of an entry of `abis`; entries with the same name and content share one. */
  abi(entry: ManifestNode): Abi {
    const name = entry.at("name").text();
    const text = this.text(entry.at("file"));
    const key = `${name}\n${text}`;
    const abi = this.#abis.get(key) ?? new Abi(name, text);
    this.#abis.set(key, abi);
    return abi;
  }

  /** Adds a link's WASM to the modules and returns its path. */
  module(link: ManifestNode): string {
    const content = this.#find(link);
    const path = this.#path(link);
    this.modules.set(path, typeof content === "string" ? this.#encoder.encode(content) : content);
    return path;
  }

  #path(link: ManifestNode): string {
    return posix.join(posix.dirname(this.#built.manifest), link.link());
  }

  #toText(content: string | Uint8Array): string {
    return typeof content === "string" ? content : this.#decoder.decode(content);
  }

  #find(link: ManifestNode): string | Uint8Array {
    const path = this.#path(link);
    const content = this.#built.files.get(path);
    if (content === undefined) throw link.error(`names the file ${path}, which is not in the build`);
    return content;
  }
}
