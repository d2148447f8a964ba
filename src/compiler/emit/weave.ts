import { present } from "../../base/invariant.js";
import type { UserExpression } from "../model/enrichment.js";
import type { EmittedExpression } from "./emitted-file.js";

/**
 * Keeps user expressions out of the templates. Views contain placeholders; they are replaced after rendering, when
 * final positions are known. User text is never parsed as a template or as a placeholder.
 */
export class ExpressionMarks {
  readonly #marked: { readonly user: UserExpression; readonly handler: string }[] = [];

  /**
   * Returns the placeholder for an expression.
   * @param handler the name of the handler that evaluates it
   */
  mark(user: UserExpression, handler: string): string {
    return `\u0001${this.#marked.push({ user, handler }) - 1}\u0002`;
  }

  /** Replaces the placeholders with their expressions, and returns the positions of the expressions. */
  weave(text: string): { readonly text: string; readonly expressions: readonly EmittedExpression[] } {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marks are control characters, which no text contains
    const pieces = text.split(/\u0001(\d+)\u0002/);
    const expressions: EmittedExpression[] = [];
    let woven = pieces[0] ?? "";
    for (let index = 1; index < pieces.length; index += 2) {
      const [before = "", mark, after = ""] = pieces.slice(index - 1, index + 2);
      const { user, handler } = present(this.#marked[Number(mark)], "an unknown mark was printed");
      const start = woven.length;
      const end = start + user.text.length;
      const around = { start: start - lengthOf(opening, before), end: end + lengthOf(closing, after) };
      expressions.push({ start, end, around, user, handler });
      woven += user.text + after;
    }
    return { text: woven, expressions };
  }
}

/** Text that a statement may contain directly before and directly after an expression. */
const opening = /[\s=(]*$/;
const closing = /^[\s;),]*/;

function lengthOf(pattern: RegExp, text: string): number {
  return pattern.exec(text)?.[0].length ?? 0;
}
