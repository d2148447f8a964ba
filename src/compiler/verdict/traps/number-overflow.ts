import type { ts } from "ts-morph";
import { typescript } from "../../syntax/typescript.js";
import { withoutParentheses } from "../typed-expression.js";
import type { TrapRule } from "./trap.js";

const largest = 2n ** 31n - 1n;
const smallest = -(2n ** 31n);

/** Arithmetic of plain numbers, which have 32 bits here: it wraps around, and a division drops what is left. */
export const numberOverflow: TrapRule = (node, expression) => {
  if (typescript.isCallExpression(node)) return tooLargeForBigInt(node, expression);
  if (!typescript.isBinaryExpression(node) || isPartOfConstant(node)) return undefined;
  if (expression.typeOf(node) !== "i32") return undefined;
  const value = exact(node);
  if (value !== undefined && (value > largest || value < smallest)) {
    return {
      code: "number-overflow",
      node,
      fact: "computes a number that is too large",
      label: `is ${BigInt.asIntN(32, value)}: plain numbers have 32 bits`,
      hint: "compute with BigInt",
    };
  }
  const isDivision = node.operatorToken.kind === typescript.SyntaxKind.SlashToken;
  const [left, right] = [exact(node.left), exact(node.right)];
  if (!isDivision || left === undefined || !right || left % right === 0n) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "divides plain numbers, which drops what is left",
    label: `is ${left / right}`,
    hint: "compute with BigDecimal, or with 5.0 instead of 5",
  };
};

/** `BigInt.fromI32(3000000000)` is negative. */
function tooLargeForBigInt(
  node: ts.CallExpression,
  expression: Parameters<TrapRule>[1],
): ReturnType<TrapRule> {
  const [argument] = node.arguments;
  if (!argument || !/^BigInt\.(?:fromI32|fromU32)$/.test(node.expression.getText())) return undefined;
  const value = exact(argument);
  const isSigned = node.expression.getText().endsWith("I32");
  if (value === undefined || (isSigned ? value <= largest : value < 2n ** 32n)) return undefined;
  if (typescript.isBinaryExpression(withoutParentheses(argument))) return undefined;
  const text = `BigInt.fromString("${value}")`;
  return {
    code: "number-overflow",
    node: argument,
    fact: "makes a BigInt of a number that is too large",
    label: `becomes ${isSigned ? BigInt.asIntN(32, value) : BigInt.asUintN(32, value)}: it has more than ${isSigned ? 31 : 32} bits`,
    hint: `write ${text}`,
    fix: [expression.replace(node, text)],
  };
}

function isPartOfConstant(node: ts.Expression): boolean {
  const { parent } = node;
  const outer = typescript.isParenthesizedExpression(parent) ? parent.parent : parent;
  return typescript.isBinaryExpression(outer) && exact(outer) !== undefined;
}

/** The value of arithmetic on whole numbers that are written out, computed without a limit. */
function exact(node: ts.Expression): bigint | undefined {
  if (typescript.isParenthesizedExpression(node)) return exact(node.expression);
  if (typescript.isNumericLiteral(node))
    return /^\d+$/.test(node.getText()) ? BigInt(node.getText()) : undefined;
  if (typescript.isPrefixUnaryExpression(node) && node.operator === typescript.SyntaxKind.MinusToken) {
    const value = exact(node.operand);
    return value === undefined ? undefined : -value;
  }
  if (!typescript.isBinaryExpression(node)) return undefined;
  const left = exact(node.left);
  const right = exact(node.right);
  if (left === undefined || right === undefined) return undefined;
  switch (node.operatorToken.kind) {
    case typescript.SyntaxKind.PlusToken:
      return left + right;
    case typescript.SyntaxKind.MinusToken:
      return left - right;
    case typescript.SyntaxKind.AsteriskToken:
      return left * right;
    case typescript.SyntaxKind.SlashToken:
      return right === 0n ? undefined : left / right;
    default:
      return undefined;
  }
}
