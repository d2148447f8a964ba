import type { ts } from "ts-morph";
import { typescript } from "../syntax/typescript.js";
import { primary, type TypedExpression } from "./typed-expression.js";
import { fixing, type Words } from "./words.js";

/** The replacement for a `Math` function on a large number: `Math` only handles small numbers. */
export function mathOfNumber(
  from: string,
  argument: ts.Expression,
  expression: TypedExpression,
): Pick<Words, "hint" | "fix"> | undefined {
  const { parent } = argument;
  if (from !== "BigInt" || !typescript.isCallExpression(parent)) return undefined;
  const name = /^Math\.(\w+)$/.exec(parent.expression.getText())?.[1] ?? "";
  const text = ofBigInt(name, parent.arguments);
  return text === undefined ? undefined : { hint: `write ${text}`, ...fixing(expression, parent, text) };
}

function ofBigInt(name: string, [first, second]: readonly ts.Expression[]): string | undefined {
  if (!first) return undefined;
  switch (name) {
    case "abs":
    case "sqrt":
      return `${primary(first)}.${name}()`;
    case "floor":
    case "ceil":
    case "round":
    case "trunc":
      return primary(first);
    case "min":
    case "max": {
      if (!second) return undefined;
      const [a, b] = [primary(first), primary(second)];
      return `(${a} ${name === "min" ? "<" : ">"} ${b} ? ${a} : ${b})`;
    }
    default:
      return undefined;
  }
}

/** A large number in arithmetic with a fraction or a power of ten: both must be decimals. */
export function byDecimal(
  from: string,
  to: string,
  operand: ts.Expression,
  expression: TypedExpression,
): Pick<Words, "hint" | "fix"> | undefined {
  const { parent } = operand;
  const digits = from === "f64" && to === "BigInt" ? plainDigits(operand.getText()) : undefined;
  if (digits === undefined || !typescript.isBinaryExpression(parent) || parent.right !== operand)
    return undefined;
  const operator = parent.operatorToken.getText();
  if (!/^[-+*/]$/.test(operator)) return undefined;
  const left = `${primary(parent.left)}.toBigDecimal()`;
  const text = `${left} ${operator} BigDecimal.fromString("${digits}")`;
  // Further results would also be decimals, which the user did not ask for.
  return { hint: `write ${text}`, ...(parent === expression.root && fixing(expression, parent, text)) };
}

/** `1000` for `1e3`, and `0.5` unchanged. */
function plainDigits(text: string): string | undefined {
  if (/^\d+\.\d+$/.test(text)) return text;
  const [, digits, zeros] = /^(\d+)[eE]\+?(\d{1,2})$/.exec(text) ?? [];
  return digits === undefined ? undefined : digits + "0".repeat(Number(zeros));
}
