import type { Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";

/** Column types that scripts can produce, as named in definitions. */
export type ScriptType = "string" | "uint64" | "int64" | "float64" | "boolean" | "bytes";

/** A column that a script produces. */
export interface ScriptColumn {
  readonly name: string;
  readonly type: ScriptType;
}

/** A script that is ready to run: JavaScript with a function `invoke`. */
export interface ScriptProgram {
  readonly code: string;
  /** The source map of the code, as JSON. */
  readonly map: string;
  readonly input: readonly RowColumn[];
  readonly output: readonly ScriptColumn[];
}

/** A script's result for some rows, or the reason for its failure. */
export type ScriptAnswer =
  | { readonly kind: "rows"; readonly rows: Rows }
  | {
      readonly kind: "failed";
      /** The row that it failed on; `undefined` for all rows, or if unknown. */
      readonly row: number | undefined;
      readonly message: string;
    };

/** Runs a script that can reach nothing but its rows. */
export interface ScriptRunner {
  /** Calls the script for each row. After a failure, the next call starts a new engine. */
  run(rows: Rows): Promise<ScriptAnswer>;
  close(): Promise<void>;
}
