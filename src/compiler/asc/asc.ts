/** The AssemblyScript compiler. */
export interface Asc {
  /** Compiles one program; several calls are worked off in turn. The time allowed counts from its turn on. */
  compile(input: AscInput, options?: { readonly timeoutSeconds?: number }): Promise<AscOutput>;
  /**
   * Has the compiler use the time until the first program: it parses what every program needs. Afterwards it does so by
   * itself.
   * @param graphTs sources of `@graphprotocol/graph-ts`, by path inside the package
   */
  prepare(graphTs: AscInput["graphTs"]): void;
  /** Ends it. Compilations that are not done yet are rejected. */
  close(): Promise<void>;
}

/**
 * `fast` runs the few passes of the optimiser that gain most, in an eighth of its time, to about the same size and
 * speed. `full` does what `graph build` does and gives its bytes.
 */
export type Optimization = "fast" | "full";

/** What the AssemblyScript compiler is given: nothing else is visible to it. */
export interface AscInput {
  /** The module all handlers are exported from, such as `src/mapping.ts`. */
  readonly entry: string;
  /** Project files by path (`src/…`, `generated/…`). */
  readonly files: ReadonlyMap<string, string>;
  /** Sources of `@graphprotocol/graph-ts`, by path inside the package. */
  readonly graphTs: ReadonlyMap<string, string>;
  /** Expressions whose types, and those of all their parts, are wanted. */
  readonly expressions: readonly AscPlace[];
  /** `fast` and `full`: how hard to optimise, see `Optimization`. `check`: errors only, no WASM. */
  readonly mode: Optimization | "check";
}

/** What came out of it. */
export type AscOutput =
  | {
      readonly kind: "compiled";
      /** Absent in mode `check`. */
      readonly wasm?: Uint8Array;
      readonly warnings: readonly AscMessage[];
      readonly types: readonly AscTyped[];
    }
  | {
      readonly kind: "rejected";
      readonly messages: readonly AscMessage[];
      /** Expressions that the compiler crashed on; it was made to go on with the next. */
      readonly crashes: readonly AscCrash[];
      readonly types: readonly AscTyped[];
    }
  /** It crashed where it could not go on. */
  | ({ readonly kind: "crashed" } & AscCrash)
  /** The compiler did not end within the time allowed. */
  | { readonly kind: "hung"; readonly seconds: number }
  /** It needed more memory than it may have. */
  | { readonly kind: "exhausted" };

/** An assertion of the compiler failed; `at` is the innermost syntax node it was working on. */
export interface AscCrash {
  readonly message: string;
  readonly at?: AscPlace;
}

export interface AscMessage {
  readonly severity: "error" | "warning" | "info";
  /** `TS2322`, `AS100`. */
  readonly code: string;
  /** Type paths shortened to type names. */
  readonly message: string;
  readonly at?: AscPlace;
  readonly related?: AscPlace;
  /** When a class does not have a member, or is not what is wanted: the members it has. */
  readonly members?: readonly string[];
}

/** The type of a part of an expression, as far as the compiler came. */
export interface AscTyped extends AscPlace {
  /** `BigInt | null`, `string`, `i32`; paths shortened to names. */
  readonly type: string;
}

/** A span in one of the input files; UTF-16 offsets. */
export interface AscPlace {
  readonly file: string;
  readonly start: number;
  readonly end: number;
}
