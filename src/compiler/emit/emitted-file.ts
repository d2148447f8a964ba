import type { UserExpression } from "../model/enrichment.js";
import type { LocatedString } from "../source/source.js";

export interface EmittedFile {
  /** Path relative to the target, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The user's expressions in the order of the text; most files have none. */
  readonly expressions: readonly EmittedExpression[];
}

/** The position of an expression: UTF-16 offsets in the file's text. */
export interface EmittedExpression {
  readonly start: number;
  readonly end: number;
  /** The position including the punctuation and white space around the expression in its statement. */
  readonly around: { readonly start: number; readonly end: number };
  readonly user: UserExpression;
  readonly handler: string;
}

/** A user-written part of an emitted line. An expression over several lines has at least one origin per line. */
export interface Origin {
  /** Line in the emitted file, from 1. */
  readonly line: number;
  /** First column, from 1, and number of characters. */
  readonly column: number;
  readonly length: number;
  /** The string in the configuration, and the offset of this part in it. */
  readonly expression: LocatedString;
  readonly offset: number;
  /** A description of the expression, in the user's words: `the value of Balance.owner`. */
  readonly what: string;
  readonly handler: string;
}
