import type { Edit } from "../diagnostics/diagnostic.js";
import type { NumberBounds, UserExpression } from "../model/enrichment.js";
import type { LocatedString } from "../source/source.js";
import type { ExpressionResult, ParsedExpression, Replacement } from "../syntax/parsed-expression.js";

/** The parser of user expressions; injected, so that TypeScript is only loaded if there are any. */
export interface ExpressionParser {
  parseExpression(text: string): ExpressionResult<ParsedExpression>;
  parseExpressionList(text: string): ExpressionResult<readonly ParsedExpression[]>;
}

export interface SourceExpression {
  readonly parsed: ParsedExpression;
  readonly source: LocatedString;
  readonly what: string;
}

/** Type-checks as an expression of any type. */
const anything = "unreachable()";

/**
 * A placeholder for an expression with a reported error: the rest of the program still compiles, to find further
 * errors.
 */
export function holeFor(source: LocatedString, what: string): SourceExpression {
  const parsed = {
    text: anything,
    offset: 0,
    inserted: [],
    freeNames: [],
    paths: [],
    looseNullTests: [],
    hazards: [],
    aborts: [],
  };
  return { parsed, source, what };
}

/** A replacement as an edit of the configuration. */
export function replacement(of: LocatedString, { offset, length, text }: Replacement): Edit {
  return { kind: "part", of, start: offset, end: offset + length, text };
}

/**
 * Converts an expression for the model.
 * @param bounds the valid range, if a number is expected
 */
export function userExpression(
  { parsed, source, what }: SourceExpression,
  bounds?: NumberBounds,
): UserExpression {
  const { text, inserted, offset } = parsed;
  return { text, inserted, expression: source, offset, what, ...(bounds && { bounds }) };
}
