import type { Report } from "../diagnostics/report.js";
import type { UserExpression } from "../model/enrichment.js";
import type { LocatedString } from "../source/source.js";
import type { ExpressionResult, ParsedExpression } from "./parse-expression.js";

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

/** Parses one expression; a syntax error is reported at its place inside the string. */
export function readExpression(
  source: LocatedString,
  what: string,
  parser: ExpressionParser,
  report: Report,
): SourceExpression | undefined {
  const result = parser.parseExpression(source.value);
  if (result.kind === "parsed") return { parsed: result.value, source, what };
  reportSyntaxError(source, what, result.error, report);
  return undefined;
}

/** Parses a comma-separated list; `undefined` after a reported syntax error. */
export function readExpressionList(
  source: LocatedString,
  what: (index: number) => string,
  parser: ExpressionParser,
  report: Report,
): readonly SourceExpression[] | undefined {
  const result = parser.parseExpressionList(source.value);
  if (result.kind === "parsed") {
    return result.value.map((parsed, index) => ({ parsed, source, what: what(index) }));
  }
  reportSyntaxError(source, what(0), result.error, report);
  return undefined;
}

function reportSyntaxError(
  source: LocatedString,
  what: string,
  error: { readonly offset: number; readonly length: number; readonly reason: string },
  report: Report,
): void {
  report.error(
    "expression-syntax",
    source.part(error.offset, error.offset + error.length),
    `${what} is not an AssemblyScript expression: ${error.reason}`,
  );
}

/** The form in which an expression enters the model. */
export function userExpression({ parsed, source, what }: SourceExpression): UserExpression {
  return { text: parsed.text, expression: source, offset: parsed.offset, what };
}
