import { type Document, isMap, isNode, isScalar, isSeq, type LineCounter, type Node } from "yaml";
import { BundleError } from "../bundle-error.js";

/** Where a value stands in the text: the place of its key. */
interface Place {
  readonly lines: LineCounter;
  readonly offset: number | undefined;
}

/** A value of a manifest with its place; every reading of it checks what is there. */
export class ManifestNode {
  /** `dataSources[0].mapping.file` */
  readonly path: string;
  readonly #node: unknown;
  readonly #place: Place;

  private constructor(node: unknown, path: string, place: Place) {
    this.#node = node;
    this.path = path;
    this.#place = place;
  }

  /** The top of a document without errors, parsed with that counter. */
  static of({ contents }: Document, lines: LineCounter): ManifestNode {
    return new ManifestNode(contents, "", { lines, offset: undefined });
  }

  /** Whether the value exists. */
  get exists(): boolean {
    return (
      this.#node !== undefined && this.#node !== null && !(isScalar(this.#node) && this.#node.value === null)
    );
  }

  /** The value of a key; one that does not exist when the key is missing. */
  at(key: string): ManifestNode {
    if (this.exists && !isMap(this.#node)) throw this.error("must be a map");
    const path = this.path === "" ? key : `${this.path}.${key}`;
    const pair = isMap(this.#node)
      ? this.#node.items.find((item) => (isScalar(item.key) ? item.key.value : item.key) === key)
      : undefined;
    return new ManifestNode(pair?.value, path, this.#placeOf(pair?.key));
  }

  /** The entries of a map; empty when it does not exist. */
  entries(): readonly (readonly [string, ManifestNode])[] {
    if (!this.exists) return [];
    if (!isMap(this.#node)) throw this.error("must be a map");
    return this.#node.items.map(({ key, value }) => {
      const name = String(isScalar(key) ? key.value : key);
      const path = this.path === "" ? name : `${this.path}.${name}`;
      return [name, new ManifestNode(value, path, this.#placeOf(key))] as const;
    });
  }

  /** The items of a list; empty when it does not exist. */
  items(): readonly ManifestNode[] {
    if (!this.exists) return [];
    if (!isSeq<Node>(this.#node)) throw this.error("must be a list");
    return this.#node.items.map(
      (item, index) => new ManifestNode(item, `${this.path}[${index}]`, this.#placeOf(item)),
    );
  }

  /** The value as text; of a number or a boolean, its source text. */
  text(): string {
    if (!this.exists) throw this.error("is missing");
    if (!isScalar(this.#node)) throw this.error("must be a text");
    const { value, source } = this.#node;
    return typeof value === "string" ? value : (source ?? String(value));
  }

  /** The value as text, provided that it is a string, not a number or a boolean. */
  quotedText(): string {
    if (!isScalar(this.#node) || typeof this.#node.value !== "string")
      throw this.error("must be a quoted text");
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
      `is on IPFS (${link.text()}): that is the manifest of a deployment; run the one that a build leaves in its folder`,
    );
  }

  /** An error about this place, to be thrown; it names the line, of what is missing that of what it is missing in. */
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
    const { lines, offset } = this.#place;
    return { lines, offset: (isNode(node) ? node.range?.[0] : undefined) ?? offset };
  }
}
