import type { Edit } from "../diagnostics/diagnostic.js";
import type { NumberBounds, UserExpression } from "../model/enrichment.js";
import type { LocatedString } from "../source/source.js";
import type { ExpressionResult, ParsedExpression, Replacement } from "../syntax/parsed-expression.js";

/** The parser of user expressions; handed in, because loading TypeScript is only worth it when there are any. */
export interface ExpressionParser {
  parseExpression(text: string): ExpressionResult<ParsedExpression>;
  parseExpressionList(text: string): ExpressionResult<readonly ParsedExpression[]>;
}

/** A parsed expression together with where it came from. */
export interface SourceExpression {
  readonly parsed: ParsedExpression;
  readonly source: LocatedString;
  readonly what: string;
}

/** Fits wherever an expression does, whatever its type. */
const anything = "unreachable()";

/**
 * What stands for an expression that is wrong, as was reported: everything else about the program can still be
 * compiled, to find what is wrong there.
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
 * The form in which an expression enters the model.
 * @param bounds what fits, where a number is wanted
 */
export function userExpression(
  { parsed, source, what }: SourceExpression,
  bounds?: NumberBounds,
): UserExpression {
  const { text, inserted, offset } = parsed;
  return { text, inserted, expression: source, offset, what, ...(bounds && { bounds }) };
}
