import type { Optimization } from "./asc/asc.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import type { Origin } from "./emit/emitted-file.js";
import type { ModelOutline } from "./model/model-outline.js";

export interface CompileOptions {
  /** Overrides the configuration's name. */
  readonly name?: string | undefined;
  /** Overrides the configuration's version. */
  readonly version?: string | undefined;
  /** Description of the subgraph, for every manifest. */
  readonly description?: string | undefined;
  /** Turns on `enableCallHandlers`; by default, the configuration decides. */
  readonly callHandlers?: boolean | undefined;
}

export interface WasmOptions extends CompileOptions {
  /** Optimization of `build`; `fast` by default. */
  readonly optimize?: Optimization;
}

/**
 * The result of a compilation. `ok` is false if and only if an error was reported; then there are no files.
 */
export interface Compilation {
  readonly ok: boolean;
  /** Errors, warnings and notes, ordered by source and position. */
  readonly diagnostics: readonly Diagnostic[];
  /**
   * Every file of the project, by path relative to the project. Only `build` adds the builds with their WASM.
   */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Positions of the configuration's expressions in the files, by path. */
  readonly origins: ReadonlyMap<string, readonly Origin[]>;
  readonly builds: readonly CompiledBuild[];
  /** Outline of the model; absent if not `ok`. */
  readonly model?: ModelOutline;
}

/** A build among the files of a compilation. */
export interface CompiledBuild {
  readonly chain: string;
  /** Path of its manifest among the files: `build/mainnet/subgraph.yaml`. */
  readonly manifest: string;
}
