import type { Report } from "../diagnostics/report.js";
import type { LocatedString } from "../source/source.js";
import type { ExpressionSyntaxError } from "../syntax/parsed-expression.js";
import { holeFor, replacement, type SourceExpression } from "./expression-parser.js";
import type { Resolution } from "./resolution.js";

type Reading = Pick<Resolution, "parser" | "report">;

/** Parses an expression. Reports a syntax error at its location in the string, and then returns a placeholder. */
export function readExpression(
  source: LocatedString,
  what: string,
  { parser, report }: Reading,
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
  { parser, report }: Reading,
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

/** Notes that `x == null` is compiled as `x === null`: both mean the same, but the compiler crashes on the former. */
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
