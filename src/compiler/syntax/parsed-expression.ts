import type { Code } from "../diagnostics/catalog.js";
import type { Severity } from "../diagnostics/diagnostic.js";

/** A piece of user text that is exactly one expression, and what it mentions. Offsets count in the user's string. */
export interface ParsedExpression {
  /** The expression without surrounding white space and comments, comparisons with null written as `===`. */
  readonly text: string;
  /** Where `text` begins in the user's string. */
  readonly offset: number;
  /** Offsets in `text` of the characters that are not in the user's string. */
  readonly inserted: readonly number[];
  /** The text it always gives, when it is put together of nothing but texts that are written out. */
  readonly constantText?: string;
  /** Names that are not members, keys or parameters of the expression's own functions. */
  readonly freeNames: readonly NameUse[];
  /** Member paths that start at a free name, such as `event.params.to` (longest first part only, no calls inside). */
  readonly paths: readonly PathUse[];
  /** The operators of comparisons with null that were written `==` or `!=`. */
  readonly looseNullTests: readonly Span[];
  /** What would go wrong although the expression compiles. */
  readonly hazards: readonly Hazard[];
  /** What stops the subgraph in some cases, unless these are excluded. */
  readonly aborts: readonly Abort[];
}

/** A part of the user's string. */
export interface Span {
  readonly offset: number;
  readonly length: number;
}

export interface NameUse {
  readonly name: string;
  readonly offset: number;
}

/** `calls.token0` in `calls.token0!.toHexString()` gives `["calls", "token0", "toHexString"]`. */
export interface PathUse {
  readonly names: readonly NameUse[];
  /** True when the whole expression is this path and nothing else. */
  readonly isWhole: boolean;
  /** How it is called, where it is called as functions are. */
  readonly call?: PathCall;
}

/** The call of a path, `calls.total()`, or of a method of what that gives, `Pool.bind(event.address).total()`. */
export interface PathCall {
  /** Where it ends. */
  readonly end: number;
  readonly argumentCount: number;
  /** The method that is called of its result. */
  readonly method?: PathCall & { readonly name: string };
}

/** Text to be put in the place of a part. */
export interface Replacement extends Span {
  readonly text: string;
}

/** A trap that syntax alone shows. */
export interface Hazard extends Span {
  readonly code: Code;
  readonly severity: Severity;
  /** Follows what the expression is: `the value of A.a`. */
  readonly fact: string;
  readonly label: string;
  readonly hint: string;
  readonly fix?: readonly Replacement[];
}

/** A part that stops the subgraph in some cases: `calls.x!` of a null, `ids[0]` of an empty list. */
export interface Abort extends Span {
  readonly kind: "null" | "element";
  /** What is asserted or indexed: `calls.x`. */
  readonly path: string;
  /** The index, when it is a plain number. */
  readonly index?: number;
  /** Whether the expression itself tests for the case. */
  readonly isGuarded: boolean;
}

/** Why a text is not one expression. */
export interface ExpressionSyntaxError extends Span {
  readonly reason: string;
  readonly hint?: string;
  readonly fix?: Replacement;
}

export type ExpressionResult<T> =
  | { readonly kind: "parsed"; readonly value: T }
  | { readonly kind: "syntax-error"; readonly error: ExpressionSyntaxError };
