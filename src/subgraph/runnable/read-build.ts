import { type Build, manifestPath } from "../build.js";
import { collectBuild } from "../collect-build.js";
import type { Manifest } from "../manifest/manifest.js";
import type { ParsedManifest } from "../manifest/parse-manifest.js";
import { type ReadSchema, readSchema } from "../schema/read-schema.js";
import type { BuiltFiles, BuiltSubgraph } from "./built-subgraph.js";
import { LinkedFiles } from "./linked-files.js";
import { readSubgraph } from "./read-runnable.js";

/**
 * A build that is parsed once and passed on. The manifest is parsed immediately, the schema and the subgraph on first
 * use. They stay in memory as long as this object, so code that keeps one must say why.
 */
export class ReadBuild implements Build {
  readonly manifest: Manifest;
  readonly parsed: ParsedManifest;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly #linked: LinkedFiles;
  #schema: ReadSchema | undefined;
  #subgraph: BuiltSubgraph | undefined;

  constructor({ manifest, parsed, files }: Build) {
    this.manifest = manifest;
    this.parsed = parsed;
    this.files = files;
    this.#linked = new LinkedFiles({ manifest: manifestPath, files });
  }

  /** Reads the files of a build, which may include others. @throws BundleError as `collectBuild` */
  static of(files: BuiltFiles): ReadBuild {
    return new ReadBuild(collectBuild(files));
  }

  /** The entity schema. @throws BundleError if there is none, SchemaError if it cannot be read */
  get schema(): ReadSchema {
    this.#schema ??= readSchema(this.#linked.schema(this.parsed.root));
    return this.#schema;
  }

  /**
   * The data that the executor needs.
   * @throws BundleError, SchemaError as `readRunnable` does
   */
  get subgraph(): BuiltSubgraph {
    this.#subgraph ??= readSubgraph(this.parsed.root, this.#linked, () => this.schema.entities);
    return this.#subgraph;
  }
}
