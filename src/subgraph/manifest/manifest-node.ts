import { type Document, isAlias, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from "yaml";
import { BundleError } from "../bundle-error.js";
import type { AliasTargets } from "./alias-targets.js";

/** Where a value is in the text. */
interface Place {
  readonly lines: LineCounter;
  readonly offset: number | undefined;
  readonly targets: AliasTargets;
}

/** A value in a manifest with its place. Every read checks the type. */
export class ManifestNode {
  /** `dataSources[0].mapping.file` */
  readonly path: string;
  readonly #node: unknown;
  readonly #place: Place;

  private constructor(node: unknown, path: string, place: Place) {
    this.#node = isAlias(node) ? place.targets.get(node) : node;
    this.path = path;
    this.#place = place;
  }

  /**
   * The root of a document without errors.
   * @param lines the line counter that parsed it
   * @param targets of its aliases, whose expansion is limited
   */
  static of({ contents }: Document, lines: LineCounter, targets: AliasTargets): ManifestNode {
    return new ManifestNode(contents, "", { lines, targets, offset: undefined });
  }

  get exists(): boolean {
    return (
      this.#node !== undefined && this.#node !== null && !(isScalar(this.#node) && this.#node.value === null)
    );
  }

  /** The value of a key; if the key is missing, a node that does not exist. */
  at(key: string): ManifestNode {
    if (this.exists && !isMap(this.#node)) throw this.error("must be a map");
    const path = this.path === "" ? key : `${this.path}.${key}`;
    const pair = isMap(this.#node)
      ? this.#node.items.find((item) => (isScalar(item.key) ? item.key.value : item.key) === key)
      : undefined;
    return new ManifestNode(pair?.value, path, this.#placeOf(pair?.key));
  }

  /** The entries of a map; empty if it does not exist. */
  entries(): readonly (readonly [string, ManifestNode])[] {
    if (!this.exists) return [];
    if (!isMap(this.#node)) throw this.error("must be a map");
    return this.#node.items.map(({ key, value }) => {
      const name = String(isScalar(key) ? key.value : key);
      const path = this.path === "" ? name : `${this.path}.${name}`;
      return [name, new ManifestNode(value, path, this.#placeOf(key))] as const;
    });
  }

  /** The items of a list; empty if it does not exist. */
  items(): readonly ManifestNode[] {
    if (!this.exists) return [];
    if (!isSeq<Node>(this.#node)) throw this.error("must be a list");
    return this.#node.items.map(
      (item, index) => new ManifestNode(item, `${this.path}[${index}]`, this.#placeOf(item)),
    );
  }

  /** The value as text; for a number or a boolean, its source text. */
  text(): string {
    if (!this.exists) throw this.error("is missing");
    if (!isScalar(this.#node)) throw this.error("must be a string");
    const { value, source } = this.#node;
    return typeof value === "string" ? value : (source ?? String(value));
  }

  /** The value as text; it must be a string, not a number or a boolean. */
  quotedText(): string {
    if (!isScalar(this.#node) || typeof this.#node.value !== "string")
      throw this.error("must be a quoted string");
    return this.#node.value;
  }

  integer(): number {
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (typeof value !== "number" || !Number.isSafeInteger(value)) throw this.error("must be an integer");
    return value;
  }

  boolean(): boolean {
    const value = isScalar(this.#node) ? this.#node.value : undefined;
    if (typeof value !== "boolean") throw this.error("must be true or false");
    return value;
  }

  /**
   * The value as a path.
   * @throws BundleError for a link to IPFS, whose content is not part of the build
   */
  link(): string {
    if (!isMap(this.#node)) return this.text();
    const link = this.at("/");
    if (!link.exists) throw this.error("must be a path");
    throw this.error(
      `is on IPFS (${link.text()}): this is the manifest of a deployment; use the manifest in a build folder`,
    );
  }

  /** An error about this place. It names the line; for a missing value, the line of its parent. */
  error(message: string): BundleError {
    return new BundleError(this.note(message));
  }

  /** A sentence about this place, with its line. */
  note(message: string): string {
    const { lines, offset } = this.#place;
    const line = offset === undefined ? "" : ` (line ${lines.linePos(offset).line})`;
    return `${this.path === "" ? "the manifest" : this.path} ${message}${line}`;
  }

  #placeOf(node: unknown): Place {
    const { lines, offset, targets } = this.#place;
    return { lines, targets, offset: (isNode(node) ? node.range?.[0] : undefined) ?? offset };
  }
}
