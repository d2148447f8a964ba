import type { ts } from "ts-morph";
import { withoutParentheses } from "../../syntax/member-path.js";
import { pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";

/** The range of a numeric type. */
export interface NumberRange {
  readonly lowest: bigint;
  readonly highest: bigint;
}

/** The range of an AssemblyScript type: `i32`, `u8`. */
export function rangeOf(type: string): NumberRange | undefined {
  const [, sign, digits] = /^([iu])(8|16|32|64)$/.exec(type) ?? [];
  if (sign === undefined || digits === undefined) return undefined;
  const bits = BigInt(digits);
  return sign === "i"
    ? { lowest: -(2n ** (bits - 1n)), highest: 2n ** (bits - 1n) - 1n }
    : { lowest: 0n, highest: 2n ** bits - 1n };
}

export function fits(value: bigint, { lowest, highest }: NumberRange): boolean {
  return value >= lowest && value <= highest;
}

/** What an AssemblyScript type makes of a number: its lowest bits. */
export function wrapped(value: bigint, type: string): bigint {
  const bits = Number(type.slice(1));
  return type.startsWith("u") ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
}

/** The cast of a number to an integer type: `x as u8`, `<u8>x` or `u8(x)`. */
export function castOf(
  node: ts.Node,
): { readonly type: string; readonly operand: ts.Expression } | undefined {
  if (typescript.isCallExpression(node)) {
    const [operand] = node.arguments;
    return operand && { type: pathOf(node.expression), operand };
  }
  if (!typescript.isAsExpression(node) && !typescript.isTypeAssertionExpression(node)) return undefined;
  return { type: node.type.getText(), operand: node.expression };
}

/** Largest exponent or shift to evaluate. */
const farthest = 512n;

type Arithmetic = (left: bigint, right: bigint) => bigint | undefined;
type Operators = ReadonlyMap<ts.SyntaxKind, Arithmetic>;
const { SyntaxKind } = typescript;

const isNear = (count: bigint): boolean => count >= 0n && count <= farthest;

const arithmetic: Operators = new Map<ts.SyntaxKind, Arithmetic>([
  [SyntaxKind.PlusToken, (left, right) => left + right],
  [SyntaxKind.MinusToken, (left, right) => left - right],
  [SyntaxKind.AsteriskToken, (left, right) => left * right],
  [SyntaxKind.SlashToken, (left, right) => (right === 0n ? undefined : left / right)],
  [SyntaxKind.PercentToken, (left, right) => (right === 0n ? undefined : left % right)],
  [SyntaxKind.AsteriskAsteriskToken, (left, right) => (isNear(right) ? left ** right : undefined)],
  [SyntaxKind.LessThanLessThanToken, (left, right) => (isNear(right) ? left << right : undefined)],
  [SyntaxKind.GreaterThanGreaterThanToken, (left, right) => (isNear(right) ? left >> right : undefined)],
  [
    SyntaxKind.GreaterThanGreaterThanGreaterThanToken,
    (left, right) => (isNear(right) ? BigInt.asUintN(left < 0n ? 32 : 512, left) >> right : undefined),
  ],
  [SyntaxKind.AmpersandToken, (left, right) => left & right],
  [SyntaxKind.BarToken, (left, right) => left | right],
  [SyntaxKind.CaretToken, (left, right) => left ^ right],
]);

/** Evaluates constant integer arithmetic with unlimited precision. */
export function exactly(node: ts.Expression): bigint | undefined {
  return computed(node, arithmetic);
}

/** Evaluates constant integer arithmetic as AssemblyScript does: wraps around, and shifts modulo the width. */
export function inType(node: ts.Expression, type: string): bigint | undefined {
  const bits = Number(type.slice(1));
  const count = (right: bigint): bigint => BigInt.asUintN(Math.log2(bits), right);
  const wrapping = new Map(arithmetic)
    .set(SyntaxKind.LessThanLessThanToken, (left, right) => left << count(right))
    .set(SyntaxKind.GreaterThanGreaterThanToken, (left, right) => left >> count(right))
    .set(
      SyntaxKind.GreaterThanGreaterThanGreaterThanToken,
      (left, right) => BigInt.asUintN(bits, left) >> count(right),
    )
    .set(SyntaxKind.AsteriskAsteriskToken, (left, right) => {
      if (right >= 0n) return isNear(right) ? left ** right : undefined;
      return left === 1n || (left === -1n && right % 2n === 0n) ? 1n : left === -1n ? -1n : 0n;
    });
  return computed(node, wrapping, (value) => wrapped(value, type));
}

function computed(
  node: ts.Expression,
  operators: Operators,
  cut = (value: bigint): bigint => value,
): bigint | undefined {
  const bare = withoutParentheses(node);
  const plain = literal(bare) ?? limit(bare);
  if (plain !== undefined) return cut(plain);
  if (typescript.isPrefixUnaryExpression(bare)) {
    const value = computed(bare.operand, operators, cut);
    if (value === undefined) return undefined;
    if (bare.operator === SyntaxKind.MinusToken) return cut(-value);
    if (bare.operator === SyntaxKind.PlusToken) return value;
    return bare.operator === SyntaxKind.TildeToken ? cut(~value) : undefined;
  }
  // A cast that changes the number is a separate trap.
  const cast = castOf(bare);
  const target = cast && rangeOf(cast.type);
  if (cast && target) {
    const value = exactly(cast.operand);
    return value !== undefined && fits(value, target) ? cut(value) : undefined;
  }
  if (cast?.type === "abs") {
    const value = computed(cast.operand, operators, cut);
    return value === undefined ? undefined : cut(value < 0n ? -value : value);
  }
  if (!typescript.isBinaryExpression(bare)) return undefined;
  const left = computed(bare.left, operators, cut);
  const right = computed(bare.right, operators, cut);
  if (left === undefined || right === undefined) return undefined;
  const value = operators.get(bare.operatorToken.kind)?.(left, right);
  return value === undefined ? undefined : cut(value);
}

function literal(node: ts.Expression): bigint | undefined {
  if (!typescript.isNumericLiteral(node)) return undefined;
  const digits = node.getText().replaceAll("_", "");
  return /^(?:\d+|0[xX][\da-fA-F]+|0[bB][01]+|0[oO][0-7]+)$/.test(digits) ? BigInt(digits) : undefined;
}

/** `i32.MAX_VALUE`. */
function limit(node: ts.Expression): bigint | undefined {
  if (!typescript.isPropertyAccessExpression(node)) return undefined;
  const [, type = "", end] = /^([iuIU]\d+)\.(MAX|MIN)_VALUE$/.exec(pathOf(node)) ?? [];
  const range = rangeOf(type.toLowerCase());
  return end === "MAX" ? range?.highest : range?.lowest;
}

/** The constant value of an expression, even of a BigInt; `undefined` if it overflows on the way. */
export function writtenNumber(node: ts.Expression): bigint | undefined {
  const bare = withoutParentheses(node);
  if (!typescript.isCallExpression(bare)) return exactly(bare);
  const [argument] = bare.arguments;
  const [, type, maker] = /^(BigInt)\.from(I32|U32|I64|U64|String)$/.exec(pathOf(bare.expression)) ?? [];
  if (!argument || !type || !maker) return exactly(bare);
  if (maker === "String") {
    return typescript.isStringLiteral(argument) && /^-?\d+$/.test(argument.text)
      ? BigInt(argument.text)
      : undefined;
  }
  const value = exactly(argument);
  const range = rangeOf(maker.toLowerCase());
  return value !== undefined && range && fits(value, range) ? value : undefined;
}
