import type { Code } from "../diagnostics/catalog.js";
import type { Severity } from "../diagnostics/diagnostic.js";

/** A piece of user text that is exactly one expression, analysed. Offsets refer to the user's string. */
export interface ParsedExpression {
  /**
   * The expression without surrounding white space and comments, and with `===` in comparisons with null.
   */
  readonly text: string;
  /** Offset of `text` in the user's string. */
  readonly offset: number;
  /** Offsets in `text` of inserted characters. */
  readonly inserted: readonly number[];
  readonly constantText?: string;
  /** Free names: no members, keys, or parameters of the expression's own functions. */
  readonly freeNames: readonly NameUse[];
  /**
   * Member paths that start at a free name, such as `event.params.to`: the longest path up to the first call.
   */
  readonly paths: readonly PathUse[];
  /** The operators `==` and `!=` in comparisons with null. */
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
  /** Whether this path is the whole expression. */
  readonly isWhole: boolean;
  /** The call of the path, if it is called as a function. */
  readonly call?: PathCall;
}

/** The call of a path, `calls.total()`, or of a method on the result, `Pool.bind(event.address).total()`. */
export interface PathCall {
  /** End offset. */
  readonly end: number;
  readonly argumentCount: number;
  /** The method that is called on its result. */
  readonly method?: PathCall & { readonly name: string };
}

export interface Replacement extends ExpressionSpan {
  readonly text: string;
}

/** A hazard that syntax alone reveals. */
export interface Hazard extends ExpressionSpan {
  readonly code: Code;
  readonly severity: Severity;
  /** The problem, as a predicate that follows the description of the expression: `the value of A.a`. */
  readonly fact: string;
  readonly label: string;
  readonly hint: string;
  readonly fix?: readonly Replacement[];
}

/** A part that may abort the handler: `calls.x!` if it is null, `ids[0]` if the list is empty. */
export interface Abort extends ExpressionSpan {
  readonly kind: "null" | "element";
  /** The path that is asserted or indexed: `calls.x`. */
  readonly path: string;
  /** The index, if it is a literal. */
  readonly index?: number;
  /** Whether the expression itself guards against it. */
  readonly isGuarded: boolean;
}

export interface ExpressionSyntaxError extends ExpressionSpan {
  readonly reason: string;
  readonly hint?: string;
  readonly fix?: Replacement;
}

export type ExpressionResult<T> =
  | { readonly kind: "parsed"; readonly value: T }
  | { readonly kind: "syntax-error"; readonly error: ExpressionSyntaxError };
