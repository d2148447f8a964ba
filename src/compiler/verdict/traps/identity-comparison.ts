import { typescript } from "../../syntax/typescript.js";
import { isComparable, isNullable, isPrimitive, withoutNull } from "../type-words.js";
import type { TrapRule } from "./trap.js";

/** `a === b` of objects compares identity, not equality. */
export const identityComparison: TrapRule = (node, expression) => {
  if (!typescript.isBinaryExpression(node) || !/^[!=]==$/.test(node.operatorToken.getText()))
    return undefined;
  if (node.right.kind === typescript.SyntaxKind.NullKeyword) return undefined;
  const type = expression.typeOf(node.left);
  const other = expression.typeOf(node.right);
  if (type === undefined || isPrimitive(type) || other === undefined || isPrimitive(other)) return undefined;
  const operator = node.operatorToken.getText();
  const loose = operator.slice(0, -1);
  const trap = {
    code: "identity-comparison",
    node: node.operatorToken,
    fact: `compares objects with ${operator}`,
    label: "compares the two objects, not their values",
  } as const;
  if (!isComparable(type)) return { ...trap, hint: "compare their contents part by part" };
  if (isNullable(type) && withoutNull(type) !== "string") {
    const left = node.left.getText();
    return { ...trap, hint: `test for null first: ${left} !== null && ${left}! ${loose} …` };
  }
  return { ...trap, hint: `write ${loose}`, fix: [expression.replace(node.operatorToken, loose)] };
};
