import { present } from "../../base/invariant.js";
import type { UserExpression } from "../model/enrichment.js";
import type { EmittedExpression } from "./emitted-file.js";

/**
 * Keeps user expressions out of the templates: these print a mark for each, and the expressions are put in at the
 * end, when their final place is known. Nothing a user wrote is ever read as template or as a mark.
 */
export class ExpressionMarks {
  readonly #expressions: UserExpression[] = [];

  /** The mark to print where the expression is to stand. */
  mark(expression: UserExpression): string {
    return `\u0001${this.#expressions.push(expression) - 1}\u0002`;
  }

  /** Replaces every mark by its expression, and tells where each expression came to stand. */
  weave(text: string): { readonly text: string; readonly expressions: readonly EmittedExpression[] } {
    const expressions: EmittedExpression[] = [];
    let woven = "";
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks are control characters because no text has them
    for (const [index, piece] of text.split(/\u0001(\d+)\u0002/).entries()) {
      if (index % 2 === 0) {
        woven += piece;
        continue;
      }
      const user = present(this.#expressions[Number(piece)], "an unknown mark was printed");
      expressions.push({ start: woven.length, end: woven.length + user.text.length, user });
      woven += user.text;
    }
    return { text: woven, expressions };
  }
}
