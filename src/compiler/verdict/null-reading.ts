import type { ts } from "ts-morph";
import { withoutParentheses } from "../syntax/member-path.js";
import { guards, mentions, pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import { isNullable } from "./type-words.js";
import { primary, type TypedExpression } from "./typed-expression.js";

/** The call whose result a path reads: `slot0` of `calls.slot0`. */
export function callRead(path: string): string | undefined {
  return /^calls\.(\w+)$/.exec(path)?.[1];
}

/** Whether the expression tests a value for null before reading it. */
export function isTested(node: ts.Expression, expression: TypedExpression): boolean {
  const path = pathOf(node);
  return guards(node, expression.root).some((test) => mentions(test, [path]));
}

/**
 * Whether a value may be null here, without an assertion or a test in the expression.
 * @param type the type of the value
 */
export function isDoubtful(node: ts.Expression, type: string, expression: TypedExpression): boolean {
  const bare = withoutParentheses(node);
  if (typescript.isNonNullExpression(bare) || isTested(bare, expression)) return false;
  return isNullable(type);
}

/**
 * The text of an object before a member access: with `!` if it is nullable.
 * @param type the type of the object
 */
export function asObject(node: ts.Expression, type: string): string {
  const bare = withoutParentheses(node);
  if (typescript.isNonNullExpression(bare)) return bare.getText();
  return `${primary(bare)}${isNullable(type) ? "!" : ""}`;
}

/** The member accesses after a part: `.tick.toString()` of `calls.slot0.tick.toString()`. */
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
