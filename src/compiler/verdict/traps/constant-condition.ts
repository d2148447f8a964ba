import type { ts } from "ts-morph";
import { typescript } from "../../syntax/typescript.js";
import { aType, isNullable, isPrimitive } from "../type-words.js";
import type { TrapRule } from "./trap.js";

/** `value ? a : b` of a non-null object: always a, even for zero and for an empty string. */
export const constantCondition: TrapRule = (node, expression) => {
  const test = testedBy(node);
  const type = test && expression.typeOf(test);
  if (!test || type === undefined || isPrimitive(type) || isNullable(type)) return undefined;
  // The only class that overloads negation: true for an empty string.
  if (type === "string" && typescript.isPrefixUnaryExpression(node)) return undefined;
  return {
    code: "constant-condition",
    node: test,
    fact: "has a condition that is always true",
    label: `only tests for null, but ${aType(type)} is never null`,
    hint: howToTest(type, test.getText()),
  };
};

function testedBy(node: ts.Node): ts.Expression | undefined {
  if (typescript.isConditionalExpression(node)) return node.condition;
  if (typescript.isIfStatement(node) || typescript.isWhileStatement(node)) return node.expression;
  if (typescript.isPrefixUnaryExpression(node) && node.operator === typescript.SyntaxKind.ExclamationToken)
    return node.operand;
  if (typescript.isBinaryExpression(node) && /^(?:&&|\|\|)$/.test(node.operatorToken.getText()))
    return node.left;
  return undefined;
}

function howToTest(type: string, text: string): string {
  if (type === "string") return `test for an empty string: ${text} != ""`;
  if (type === "BigInt" || type === "BigDecimal") return `test for zero: ${text} != ${type}.zero()`;
  if (type === "Address") return `test for the zero address: ${text} != Address.zero()`;
  return `test its contents, such as ${text}.length > 0`;
}
