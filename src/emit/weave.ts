import { present } from "../diagnostics/invariant.js";
import type { UserExpression } from "../model/enrichment.js";
import type { Origin } from "./emitted-file.js";

/**
 * Keeps user expressions out of the templates: these print a mark for each, and the expressions are put in at the
 * end, when their final line and column are known. Nothing a user wrote is ever read as template or as a mark.
 */
export class ExpressionMarks {
  readonly #expressions: UserExpression[] = [];

  /** The mark to print where the expression is to stand. */
  mark(expression: UserExpression): string {
    return `\u0001${this.#expressions.push(expression) - 1}\u0002`;
  }

  /** Replaces every mark by its expression, and tells where each line of each expression came to stand. */
  weave(text: string): { readonly text: string; readonly origins: readonly Origin[] } {
    const origins: Origin[] = [];
    let woven = "";
    let line = 1;
    let column = 1;
    const append = (piece: string): void => {
      woven += piece;
      const newLines = piece.split("\n");
      line += newLines.length - 1;
      const last = newLines.at(-1) ?? "";
      column = newLines.length > 1 ? last.length + 1 : column + last.length;
    };
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks are control characters because no text has them
    for (const [index, piece] of text.split(/\u0001(\d+)\u0002/).entries()) {
      if (index % 2 === 0) {
        append(piece);
        continue;
      }
      const expression = present(this.#expressions[Number(piece)], "an unknown mark was printed");
      origins.push(...originsOf(expression, line, column));
      append(expression.text);
    }
    return { text: woven, origins };
  }
}

function originsOf(
  { text, expression, offset, what }: UserExpression,
  line: number,
  column: number,
): Origin[] {
  let start = offset;
  return text.split("\n").map((piece, index) => {
    const origin = {
      line: line + index,
      column: index === 0 ? column : 1,
      length: piece.length,
      expression,
      offset: start,
      what,
    };
    start += piece.length + 1;
    return origin;
  });
}
