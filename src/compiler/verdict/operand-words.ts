import type { ts } from "ts-morph";
import { typescript } from "../syntax/typescript.js";
import { conversion } from "./conversions.js";
import { aType, isBytes } from "./type-words.js";
import { primary, type TypedExpression } from "./typed-expression.js";
import { fixing, type Words } from "./words.js";

/** Operands that do not match: a string and another type, a BigInt and a plain number, or null on the wrong side. */
export function wrongOperands(
  operator: string,
  left: string,
  right: string,
  node?: ts.Expression,
  expression?: TypedExpression,
): Words {
  const label =
    left === right
      ? `${aType(left)} has no ${operator}`
      : `${operator} does not take ${aType(left)} and ${aType(right)}`;
  if (!node || !typescript.isBinaryExpression(node) || !expression)
    return { label, hint: operatorHint(operator) };
  if (node.left.kind === typescript.SyntaxKind.NullKeyword) {
    const strict = operator.length === 2 ? `${operator}=` : operator;
    const text = `${node.right.getText()} ${strict} null`;
    return {
      label: "null must be on the right",
      hint: `write ${text}`,
      ...fixing(expression, node, text),
    };
  }
  const result = /^(?:ethereum\.)?CallResult<(.*)>$/.exec(left)?.[1];
  if (result !== undefined) {
    const other = conversion(right, result, node.right)?.text ?? node.right.getText();
    const text = `${primary(node.left)}.value ${operator} ${other}`;
    return {
      label: "the value is a member of the result",
      hint: `write ${text}`,
      ...fixing(expression, node, text),
    };
  }
  if (operator === "**") return { label, ...power(node, expression) };
  if (operator === "+" && isBytes(left) && isBytes(right)) {
    const text = `${primary(node.left)}.concat(${node.right.getText()})`;
    return { label, hint: `write ${text}`, ...fixing(expression, node, text) };
  }
  const changed =
    left === "string" || left === "BigInt" || left === "BigDecimal"
      ? ([node.right, conversion(right, left, node.right)] as const)
      : ([node.left, conversion(left, right, node.left)] as const);
  const [operand, found] = changed;
  if (!found) return { label };
  return { label, hint: found.hint, ...(found.text && fixing(expression, operand, found.text)) };
}

function power(node: ts.BinaryExpression, expression: TypedExpression): Words {
  const exponent = node.right.getText();
  const text = `${primary(node.left)}.pow(${exponent})`;
  const isSmall = /^\d+$/.test(exponent) && Number(exponent) < 256;
  return { hint: `write ${text}`, ...(isSmall && fixing(expression, node, text)) };
}

/** The replacement for a unary operator. */
export function operatorHint(operator: string): string | undefined {
  if (operator === "++" || operator === "--") {
    return `write .${operator === "++" ? "plus" : "minus"}(BigInt.fromI32(1))`;
  }
  return undefined;
}
