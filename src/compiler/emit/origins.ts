import type { UserExpression } from "../model/enrichment.js";
import { positionAt } from "../source/source.js";
import type { EmittedExpression, EmittedFile, Origin } from "./emitted-file.js";

/**
 * Maps an offset in an expression to an offset in the configuration's string.
 * @param at offset in the expression's text
 */
export function sourceOffset({ offset, inserted }: UserExpression, at: number): number {
  return offset + at - inserted.filter((position) => position < at).length;
}

/** The origins in a file, in textual order. */
export function originsOf(file: EmittedFile): readonly Origin[] {
  return file.expressions.flatMap((expression) => originsOfOne(file, expression));
}

/** One origin per line, split after every inserted character. */
function originsOfOne(
  { path, text }: EmittedFile,
  { start, user, handler }: EmittedExpression,
): readonly Origin[] {
  const source = { path, text };
  const cuts = new Set(user.inserted);
  const origins: Origin[] = [];
  let from = 0;
  for (let at = 0; at <= user.text.length; at++) {
    const isEnd = at === user.text.length || user.text[at] === "\n";
    if (!isEnd && !cuts.has(at)) continue;
    const { line, column } = positionAt(source, start + from);
    const { expression, what } = user;
    const offset = sourceOffset(user, from);
    origins.push({ line, column, length: at - from, expression, offset, what, handler });
    from = at + 1;
  }
  return origins;
}
