import type { LocatedString } from "../source/source.js";

/** One file of the emitted project. */
export interface EmittedFile {
  /** Relative to the target, with `/`. */
  readonly path: string;
  readonly text: string;
  /** Which lines are the user's own expressions; empty for most files. */
  readonly origins: readonly Origin[];
}

/** A piece of an emitted line that the user wrote. An expression of several lines has one origin per line. */
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
}
