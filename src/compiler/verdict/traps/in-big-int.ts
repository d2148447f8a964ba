import type { ts } from "ts-morph";
import { withoutParentheses, withParentheses } from "../../syntax/member-path.js";
import { pathOf } from "../../syntax/paths.js";
import { typescript } from "../../syntax/typescript.js";
import { primary, type TypedExpression } from "../typed-expression.js";
import type { Trap } from "./trap.js";
import { valueRange } from "./value-range.js";
import { exactly, fits, rangeOf } from "./whole-numbers.js";

/** The hint to compute with BigInt, and the fix if the result becomes a BigInt anyway. */
export function inBigInt(node: ts.Expression, expression: TypedExpression): Pick<Trap, "hint" | "fix"> {
  const text = asBigInt(node, expression);
  if (text === undefined) return { hint: "compute with BigInt" };
  const maker = makerAround(node);
  if (!maker) return { hint: `compute with BigInt: ${text}` };
  return { hint: `write ${text}`, fix: [expression.replace(maker, text)] };
}

/** The call to `BigInt.fromI32` or the like with this argument. */
export function makerAround(node: ts.Expression): ts.CallExpression | undefined {
  const argument = withParentheses(node);
  const { parent } = argument;
  if (!typescript.isCallExpression(parent) || parent.arguments[0] !== argument) return undefined;
  return isMaker(parent) ? parent : undefined;
}

/** Whether a call creates a BigInt from a plain number. */
export function isMaker(call: ts.CallExpression): boolean {
  return /^BigInt\.from[IU](?:32|64)$/.test(pathOf(call.expression));
}

const methods: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [typescript.SyntaxKind.PlusToken, "plus"],
  [typescript.SyntaxKind.MinusToken, "minus"],
  [typescript.SyntaxKind.AsteriskToken, "times"],
  [typescript.SyntaxKind.SlashToken, "div"],
  [typescript.SyntaxKind.PercentToken, "mod"],
]);
const powers: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [typescript.SyntaxKind.AsteriskAsteriskToken, "pow"],
  [typescript.SyntaxKind.LessThanLessThanToken, "leftShift"],
  [typescript.SyntaxKind.GreaterThanGreaterThanToken, "rightShift"],
]);
const byte = { lowest: 0n, highest: 255n };
const small = { lowest: -(2n ** 31n), highest: 2n ** 31n - 1n };

/** An integer expression of plain numbers, written with BigInt. */
export function asBigInt(node: ts.Expression, expression: TypedExpression): string | undefined {
  const bare = withoutParentheses(node);
  const value = exactly(bare);
  if (typescript.isBinaryExpression(bare)) {
    const { kind } = bare.operatorToken;
    const left = asBigInt(bare.left, expression);
    const method = methods.get(kind);
    const right = method && asBigInt(bare.right, expression);
    if (left !== undefined && method !== undefined && right !== undefined)
      return `${left}.${method}(${right})`;
    const power = powers.get(kind);
    const exponent = power && asByte(bare.right, expression);
    if (left !== undefined && exponent !== undefined) return `${left}.${power}(${exponent})`;
  }
  if (value !== undefined) {
    if (!fits(value, small)) return `BigInt.fromString("${value}")`;
    return `BigInt.fromI32(${typescript.isNumericLiteral(bare) ? bare.getText() : value})`;
  }
  if (
    typescript.isCallExpression(bare) &&
    typescript.isPropertyAccessExpression(bare.expression) &&
    /^to[IU](?:32|64)$/.test(bare.expression.name.text)
  )
    return primary(bare.expression.expression);
  if (typescript.isBinaryExpression(bare)) return undefined;
  const maker = makerOf(expression.typeOf(bare));
  return maker && `${maker}(${bare.getText()})`;
}

/** The function that creates a BigInt from a number of a type. */
export function makerOf(type = ""): string | undefined {
  if (!rangeOf(type)) return undefined;
  return `BigInt.from${/^[iu](?:8|16)$/.test(type) ? "I32" : type.toUpperCase()}`;
}

/** An exponent or a bit count, which graph-ts takes as a byte. */
function asByte(node: ts.Expression, expression: TypedExpression): string | undefined {
  const value = exactly(node);
  if (value !== undefined) return fits(value, byte) ? `${value}` : undefined;
  const range = valueRange(node, expression);
  if (!range || !fits(range.lowest, byte) || !fits(range.highest, byte)) return undefined;
  return expression.typeOf(node) === "u8" ? node.getText() : `${primary(node)} as u8`;
}
