import type { Code } from "../diagnostics/catalog.js";
import type { Severity } from "../diagnostics/diagnostic.js";

/** A piece of user text that is exactly one expression, analysed. Offsets count in the user's string. */
export interface ParsedExpression {
  /** The expression without surrounding white space and comments, comparisons with null written as `===`. */
  readonly text: string;
  /** Offset of `text` in the user's string. */
  readonly offset: number;
  /** Offsets in `text` of inserted characters. */
  readonly inserted: readonly number[];
  /** Its constant string value, if it has one. */
  readonly constantText?: string;
  /** Free names: neither members nor keys nor parameters of the expression's own functions. */
  readonly freeNames: readonly NameUse[];
  /** Member paths that start at a free name, such as `event.params.to` (longest first part only, no calls inside). */
  readonly paths: readonly PathUse[];
  /** The operators of comparisons with null written `==` or `!=`. */
  readonly looseNullTests: readonly ExpressionSpan[];
  /** Parts that compile but fail or misbehave at run time. */
  readonly hazards: readonly Hazard[];
  /** Parts that may abort the handler. */
  readonly aborts: readonly Abort[];
}

/** A part of the user's string. */
export interface ExpressionSpan {
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

/** A replacement of a part. */
export interface Replacement extends ExpressionSpan {
  readonly text: string;
}

/** A hazard that syntax alone shows. */
export interface Hazard extends ExpressionSpan {
  readonly code: Code;
  readonly severity: Severity;
  /** What is wrong; follows the description of the expression: `the value of A.a`. */
  readonly fact: string;
  readonly label: string;
  readonly hint: string;
  readonly fix?: readonly Replacement[];
}

/** A part that may abort the handler: `calls.x!` of a null, `ids[0]` of an empty list. */
export interface Abort extends ExpressionSpan {
  readonly kind: "null" | "element";
  /** The path that is asserted or indexed: `calls.x`. */
  readonly path: string;
  /** The index, if it is a literal. */
  readonly index?: number;
  /** Whether the expression itself tests for the case. */
  readonly isGuarded: boolean;
}

/** A syntax error in an expression. */
export interface ExpressionSyntaxError extends ExpressionSpan {
  readonly reason: string;
  readonly hint?: string;
  readonly fix?: Replacement;
}

export type ExpressionResult<T> =
  | { readonly kind: "parsed"; readonly value: T }
  | { readonly kind: "syntax-error"; readonly error: ExpressionSyntaxError };
