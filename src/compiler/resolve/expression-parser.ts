import type { Edit } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { UserExpression } from "../model/enrichment.js";
import type { LocatedString } from "../source/source.js";
import type {
  ExpressionResult,
  ExpressionSyntaxError,
  ParsedExpression,
  Replacement,
} from "../syntax/parsed-expression.js";

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

/** Parses one expression; a syntax error is reported at its place inside the string, and leaves a hole. */
export function readExpression(
  source: LocatedString,
  what: string,
  parser: ExpressionParser,
  report: Report,
): SourceExpression {
  const result = parser.parseExpression(source.value);
  if (result.kind === "parsed") {
    const expression = { parsed: result.value, source, what };
    noteNullTests([expression], report);
    return expression;
  }
  reportSyntaxError(source, what, result.error, report);
  return holeFor(source, what);
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
    const expressions = result.value.map((parsed, index) => ({ parsed, source, what: what(index) }));
    noteNullTests(expressions, report);
    return expressions;
  }
  reportSyntaxError(source, what(0), result.error, report);
  return undefined;
}

function reportSyntaxError(
  source: LocatedString,
  what: string,
  { offset, length, reason, hint, fix }: ExpressionSyntaxError,
  report: Report,
): void {
  report.error(
    "expression-syntax",
    source.part(offset, offset + length),
    `${what} is not an AssemblyScript expression`,
    { label: reason, hint, fix: fix && [replacement(source, fix)] },
  );
}

/** `x == null` is compiled as `x === null`: it means the same, and the compiler crashes on the former. */
function noteNullTests(expressions: readonly SourceExpression[], report: Report): void {
  for (const { parsed, source, what } of expressions) {
    for (const { offset, length } of parsed.looseNullTests) {
      const end = offset + length;
      const strict = `${source.value.slice(offset, end)}=`;
      report.note("null-comparison", source.part(offset, end), `${what} is compiled with ${strict} null`, {
        label: "AssemblyScript's compiler can crash on this operator",
        hint: `write ${strict}`,
        fix: [{ kind: "part", of: source, start: offset, end, text: strict }],
      });
    }
  }
}

/** A replacement as an edit of the configuration. */
export function replacement(of: LocatedString, { offset, length, text }: Replacement): Edit {
  return { kind: "part", of, start: offset, end: offset + length, text };
}

/** The form in which an expression enters the model. */
export function userExpression({ parsed, source, what }: SourceExpression): UserExpression {
  const { text, inserted, offset } = parsed;
  return { text, inserted, expression: source, offset, what };
}
