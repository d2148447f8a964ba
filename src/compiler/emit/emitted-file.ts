import type { UserExpression } from "../model/enrichment.js";
import type { LocatedString } from "../source/source.js";

/** One file of the emitted project. */
export interface EmittedFile {
  /** Relative to the target, with `/`. */
  readonly path: string;
  readonly text: string;
  /** The user's own expressions in the order in which they stand in the text; most files have none. */
  readonly expressions: readonly EmittedExpression[];
}

/** Where an expression came to stand: UTF-16 offsets in the text of the file. */
export interface EmittedExpression {
  readonly start: number;
  readonly end: number;
  /** The same with the punctuation and the white space that the statement puts around it. */
  readonly around: { readonly start: number; readonly end: number };
  readonly user: UserExpression;
  /** The handler it is evaluated for. */
  readonly handler: string;
}

/** A piece of an emitted line that the user wrote. An expression of several lines has one origin per line at least. */
export interface Origin {
  /** Line in the emitted file, from 1. */
  readonly line: number;
  /** First column, from 1, and number of characters. */
  readonly column: number;
  readonly length: number;
  /** The string in the configuration, and where in it this piece begins. */
  readonly expression: LocatedString;
  readonly offset: number;
  /** What the expression is, in the user's words: `the value of Balance.owner`. */
  readonly what: string;
  /** The handler that evaluates it. */
  readonly handler: string;
}
