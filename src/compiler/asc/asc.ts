/** The AssemblyScript compiler. */
export interface Asc {
  /** Compiles one program. Concurrent calls are queued; the timeout starts with the program's turn. */
  compile(input: AscInput, options?: { readonly timeoutSeconds?: number }): Promise<AscOutput>;
  /**
   * Makes the compiler parse the libraries until the first program arrives. After each program, it does so by itself.
   * @param graphTs sources of `@graphprotocol/graph-ts`, by path inside the package
   */
  prepare(graphTs: AscInput["graphTs"]): void;
  /** Ends the compiler. Rejects pending compilations. */
  close(): Promise<void>;
}

/**
 * `fast` runs only the most effective optimizer passes: it reaches about the same size and speed in an eighth of the
 * time. `full` runs the passes of `graph build` and produces the same bytes.
 */
export type Optimization = "fast" | "full";

export interface AscInput {
  /** The entry module, which exports all handlers, such as `src/mapping.ts`. */
  readonly entry: string;
  /** Project files by path (`src/…`, `generated/…`). */
  readonly files: ReadonlyMap<string, string>;
  /** Sources of `@graphprotocol/graph-ts`, by path inside the package. */
  readonly graphTs: ReadonlyMap<string, string>;
  /** Further packages, for a project with its own packages. */
  readonly packages?: AscPackages;
  /** Expressions to record the types of, including the types of all their parts. */
  readonly expressions: readonly AscPlace[];
  /**
   * `fast` and `full`: optimization, see `Optimization`. `check`: errors only, no WASM. `test`: a test module with a
   * source map and no optimization, whose functions can be called by their position in the table.
   */
  readonly mode: Optimization | "check" | "test";
}

/** The packages that a project has installed. */
export interface AscPackages {
  /**
   * The folder with graph-ts, relative to the project: `../../node_modules`. It appears in the WASM, so the bytes
   * depend on it.
   */
  readonly folder: string;
  /** Files of packages other than graph-ts, by path in that folder. */
  readonly files: ReadonlyMap<string, string>;
}

export type AscOutput =
  | {
      readonly kind: "compiled";
      /** Absent in mode `check`. */
      readonly wasm?: Uint8Array;
      /** Only in mode `test`. */
      readonly sourceMap?: string;
      readonly warnings: readonly AscMessage[];
      readonly types: readonly AscTyped[];
    }
  | {
      readonly kind: "rejected";
      readonly messages: readonly AscMessage[];
      /** Expressions that crashed the compiler and were skipped. */
      readonly crashes: readonly AscCrash[];
      readonly types: readonly AscTyped[];
    }
  | ({ readonly kind: "crashed" } & AscCrash)
  | { readonly kind: "hung"; readonly seconds: number }
  | { readonly kind: "exhausted" };

/** A crash of the compiler; `at` is the innermost syntax node it was working on. */
export interface AscCrash {
  readonly message: string;
  readonly at?: AscPlace;
}

export interface AscMessage {
  readonly severity: "error" | "warning" | "info";
  /** `TS2322`, `AS100`. */
  readonly code: string;
  /** The message, with type paths shortened to type names. */
  readonly message: string;
  readonly at?: AscPlace;
  readonly related?: AscPlace;
  /** The members of the class, if it lacks a member or is the wrong type. */
  readonly members?: readonly string[];
}

/** The type of a part of an expression. */
export interface AscTyped extends AscPlace {
  /** `BigInt | null`, `string`, `i32`; type paths are shortened to type names. */
  readonly type: string;
}

export interface AscPlace {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}
