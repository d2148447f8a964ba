import type { ts } from "ts-morph";
import { withoutParentheses } from "../syntax/member-path.js";
import { guards, mentions, pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import { isNullable } from "./type-words.js";
import { primary, type TypedExpression } from "./typed-expression.js";

/** The call that a path is the result of: `slot0` of `calls.slot0`. */
export function callOf(path: string): string | undefined {
  return /^calls\.(\w+)$/.exec(path)?.[1];
}

/** Whether the expression asks for null before it reads a value. */
export function isTested(node: ts.Expression, expression: TypedExpression): boolean {
  const path = pathOf(node);
  return guards(node, expression.root).some((test) => mentions(test, [path]));
}

/**
 * Whether a value may be null where it stands, and the expression neither says it is not nor asks.
 * @param type the type of the value
 */
export function isDoubtful(node: ts.Expression, type: string, expression: TypedExpression): boolean {
  const bare = withoutParentheses(node);
  if (typescript.isNonNullExpression(bare) || isTested(bare, expression)) return false;
  return isNullable(type);
}

/**
 * The text of an object that a member is to be read of: with the mark that it is not null where it needs one.
 * @param type the type of the object
 */
export function asObject(node: ts.Expression, type: string): string {
  const bare = withoutParentheses(node);
  if (typescript.isNonNullExpression(bare)) return bare.getText();
  return `${primary(bare)}${isNullable(type) ? "!" : ""}`;
}

/** What is read of a part: the text behind it, `.tick.toString()` of `calls.slot0.tick.toString()`. */
export function readOf(node: ts.Node): string {
  let outer = node;
  for (let part = node.parent; isReading(part, outer); part = part.parent) outer = part;
  return outer.getSourceFile().text.slice(node.end, outer.end);
}

function isReading(outer: ts.Node, part: ts.Node): boolean {
  const reads =
    typescript.isPropertyAccessExpression(outer) ||
    typescript.isElementAccessExpression(outer) ||
    typescript.isCallExpression(outer) ||
    typescript.isNonNullExpression(outer);
  return reads && outer.expression === part;
}
