import type { ts } from "ts-morph";
import { withoutParentheses, withParentheses } from "../../syntax/member-path.js";
import { pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";
import type { Trap, TrapRule } from "./trap.js";
import { exactly, fits, inThirtyTwoBits, rangeOf, reach } from "./whole-numbers.js";

const range = { lowest: -(2n ** 31n), highest: 2n ** 31n - 1n };

/** Arithmetic of 32-bit numbers: it wraps around, and a division truncates. */
export const numberOverflow: TrapRule = (node, expression) => {
  if (typescript.isCallExpression(node)) return tooLargeForBigInt(node, expression);
  if (!typescript.isBinaryExpression(node) || isPartOfConstant(node)) return undefined;
  if (expression.typeOf(node) !== "i32") return undefined;
  return tooLarge(node) ?? perhapsTooLarge(node) ?? dropsRest(node);
};

function tooLarge(node: ts.BinaryExpression): Trap | undefined {
  const value = exactly(node);
  if (value === undefined || fits(value, range)) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "computes a number that is too large",
    label: `is ${inThirtyTwoBits(node) ?? "truncated"}: plain numbers have 32 bits`,
    hint: "compute with BigInt",
  };
}

/** `amount.toI32() * 1000000`: the innermost operation on unknown operands that may overflow. */
function perhapsTooLarge(node: ts.BinaryExpression): Trap | undefined {
  const isLarge = (part: ts.Expression): boolean => (reach(part) ?? 0n) > range.highest;
  if (exactly(node) !== undefined || !isLarge(node) || isLarge(node.left) || isLarge(node.right))
    return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "can compute a number that is too large",
    label: `wraps around to ${range.lowest} above ${range.highest}: plain numbers have 32 bits`,
    hint: "compute with BigInt",
  };
}

function dropsRest(node: ts.BinaryExpression): Trap | undefined {
  const isDivision = node.operatorToken.kind === typescript.SyntaxKind.SlashToken;
  const [left, right] = [exactly(node.left), exactly(node.right)];
  if (!isDivision || left === undefined || !right || left % right === 0n) return undefined;
  return {
    code: "number-overflow",
    node,
    fact: "divides plain numbers, which drops the remainder",
    label: `is ${left / right}`,
    hint: "compute with BigDecimal, or with 5.0 instead of 5",
  };
}

/** `BigInt.fromI32(3000000000)` is negative. */
function tooLargeForBigInt(
  node: ts.CallExpression,
  expression: Parameters<TrapRule>[1],
): ReturnType<TrapRule> {
  const [argument] = node.arguments;
  const maker = pathOf(node.expression);
  if (!argument || !/^BigInt\.(?:fromI32|fromU32)$/.test(maker)) return undefined;
  const value = exactly(argument);
  const isSigned = maker.endsWith("I32");
  if (value === undefined || fits(value, rangeOf(isSigned ? "i32" : "u32") ?? range)) return undefined;
  if (typescript.isBinaryExpression(withoutParentheses(argument))) return undefined;
  const text = `BigInt.fromString("${value}")`;
  const becomes = isSigned ? BigInt.asIntN(32, value) : BigInt.asUintN(32, value);
  const why = value < 0n && !isSigned ? "it has a sign" : `it has more than ${isSigned ? 31 : 32} bits`;
  return {
    code: "number-overflow",
    node: argument,
    fact: "makes a BigInt from a number that is too large",
    label: `becomes ${becomes}: ${why}`,
    hint: `write ${text}`,
    fix: [expression.replace(node, text)],
  };
}

/** Whether the enclosing arithmetic is constant as well, and is reported instead. */
function isPartOfConstant(node: ts.Expression): boolean {
  const outer = withParentheses(node).parent;
  return typescript.isBinaryExpression(outer) && exactly(outer) !== undefined;
}
