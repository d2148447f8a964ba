import type { Optimization } from "./asc/asc.js";
import type { Diagnostic } from "./diagnostics/diagnostic.js";
import type { Origin } from "./emit/emitted-file.js";
import type { ModelOutline } from "./model/model-outline.js";

/** What may be said beside the configuration. */
export interface CompileOptions {
  /** Wins over the configuration's name. */
  readonly name?: string | undefined;
  /** Wins over the configuration's version. */
  readonly version?: string | undefined;
  /** What the subgraph is, in words of your own; every manifest says it. */
  readonly description?: string | undefined;
  /** Turns `enableCallHandlers` on; false or absent leaves what the configuration says. */
  readonly callHandlers?: boolean | undefined;
}

/** What may be said beside the configuration where WASM is made, too. */
export interface WasmOptions extends CompileOptions {
  /** How hard `build` optimises the WASM; `fast` unless said otherwise. */
  readonly optimize?: Optimization;
}

/** What a configuration compiles to. `ok` is false exactly if an error was reported; there are no files then. */
export interface Compilation {
  readonly ok: boolean;
  /** Errors, warnings and notes, in the order a reader works through the files. */
  readonly diagnostics: readonly Diagnostic[];
  /** Every file of the project, by path relative to it; the WASM and the rest of the builds only from `build`. */
  readonly files: ReadonlyMap<string, string | Uint8Array>;
  /** Where in the files the configuration's own expressions stand, by path. */
  readonly origins: ReadonlyMap<string, readonly Origin[]>;
  /** The builds among the files, one for each chain in its order; none but from `build`. */
  readonly builds: readonly CompiledBuild[];
  /** What was compiled; absent when not `ok`. */
  readonly model?: ModelOutline;
}

/** A build among the files of a compilation. */
export interface CompiledBuild {
  /** The chain it is for. */
  readonly chain: string;
  /** Path of its manifest among the files: `build/mainnet/subgraph.yaml`. */
  readonly manifest: string;
}
