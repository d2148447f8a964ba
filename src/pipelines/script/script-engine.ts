import type { Rows } from "../changes/rows.js";
import type { RowColumn } from "../changes/schema.js";

/** Types of the columns that scripts make, as definitions call them. */
export type ScriptType = "string" | "uint64" | "int64" | "float64" | "boolean" | "bytes";

/** A column that a script makes. */
export interface ScriptColumn {
  readonly name: string;
  readonly type: ScriptType;
}

/** A script that is ready to run: JavaScript with a function `invoke`. */
export interface ScriptProgram {
  readonly code: string;
  /** The source map of the code, as JSON. */
  readonly map: string;
  /** Columns of the rows that it takes. */
  readonly input: readonly RowColumn[];
  readonly output: readonly ScriptColumn[];
}

/** What a script makes of rows, or why it makes nothing of them. */
export type ScriptAnswer =
  | { readonly kind: "rows"; readonly rows: Rows }
  | {
      readonly kind: "failed";
      /** Which row it could not take; `undefined` for all of them, or if it is not known. */
      readonly row: number | undefined;
      readonly message: string;
    };

/** Runs a script where it reaches nothing but its rows. */
export interface ScriptRunner {
  /** Calls the script for each row. After a failure, the next call starts a new engine. */
  run(rows: Rows): Promise<ScriptAnswer>;
  close(): Promise<void>;
}
