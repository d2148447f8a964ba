import type { ts } from "ts-morph";
import type { AscMessage } from "../asc/asc.js";
import { withoutParentheses } from "../syntax/member-path.js";
import { typescript } from "../syntax/typescript.js";
import { conversion } from "./conversions.js";
import { byDecimal, mathOfNumber } from "./math-words.js";
import { inBrackets, noFunction, noMember, noValue, unknownName } from "./name-words.js";
import { readOf } from "./null-reading.js";
import { wordsForNull } from "./null-words.js";
import { operatorHint, wrongOperands } from "./operand-words.js";
import { isSeveralOutputs, oneOf } from "./output-words.js";
import { aType, isNullable, withoutNull } from "./type-words.js";
import { primary, type TypedExpression } from "./typed-expression.js";
import { fixing, type Words } from "./words.js";

/**
 * Translates a message of the AssemblyScript compiler.
 * @param node the part of the expression at the message's range, if they coincide
 * @param expression the expression that it is about
 */
export function wordsFor(
  message: AscMessage,
  node: ts.Expression | undefined,
  expression: TypedExpression | undefined,
): Words {
  const names = [...message.message.matchAll(/'([^']*)'/g)].map(([, name = ""]) => name);
  const [first = "", second = "", third = ""] = names;
  switch (message.code) {
    case "TS2322":
    case "AS200":
      return wrongType(first, second, message.members ?? [], node, expression);
    case "TS2365":
      return wrongOperands(first, second, third, node, expression);
    case "TS2469":
      return { label: `${aType(second)} has no ${first}`, hint: operatorHint(first) };
    case "TS2339":
      return noMember(first, second, message.members ?? [], node, expression);
    case "TS2304":
      return unknownName(first, node, expression);
    case "TS2531":
    case "TS2685":
      return wordsForNull(node, expression);
    case "TS2329":
      return inBrackets(first, message.members ?? [], node, expression);
    case "TS2511":
      return { label: "AssemblyScript has no objects without a class" };
    case "AS226":
    case "AS201":
      return unusual(message.message, node);
    case "AS234":
      return { label: "this is not a value" };
    case "AS100":
      return notThere(message.message);
    case "AS225":
      return noValue(node, expression);
    case "TS2349":
      return noFunction(node, expression);
    case "TS2554":
      return {
        label: message.message.replace(/^Expected (\d+) arguments?, but got (\d+)\.?$/, "takes $1, gets $2"),
      };
    case "TS1140":
      return {
        label: "the result type is missing",
        hint: "write it before the parenthesis: map<string>(…)",
      };
    case "TS1110":
      return { label: "a type is missing", hint: "write the type of the result: (x: i32): i32 => …" };
    default:
      return { label: lowerFirst(message.message) };
  }
}

function wrongType(
  from: string,
  to: string,
  members: readonly string[],
  node?: ts.Expression,
  expression?: TypedExpression,
): Words {
  const isNull = node?.kind === typescript.SyntaxKind.NullKeyword;
  if (isNull) return { label: `null where ${aType(to)} is needed` };
  if (node && expression && isSeveralOutputs(members) && withoutNull(from) !== withoutNull(to)) {
    const label = `a result with several outputs where ${aType(to)} is needed`;
    return oneOf({ node, type: from, members }, expression, label);
  }
  const label = `${aType(from)} where ${aType(to)} is needed`;
  if (isNullable(from)) {
    const words = wordsForNull(node, expression, withoutNull(from), to);
    // If the part is the object of a member access, the expected type is only the base class with the member.
    const isWanted = withoutNull(from) === to || (node && readOf(withoutParentheses(node)) !== "");
    return isWanted ? words : { ...words, label };
  }
  // A method without parameters that was not called.
  const given = /^\((?:this: [^,)]*)?\) => (.*)$/.exec(from)?.[1];
  if (given !== undefined && given === withoutNull(to) && node) {
    const text = `${node.getText()}()`;
    return { label, hint: `write ${text}`, ...(expression && fixing(expression, node, text)) };
  }
  const math =
    node && expression && (mathOfNumber(from, node, expression) ?? byDecimal(from, to, node, expression));
  if (math) return { label, ...math };
  const found = conversion(from, to, node);
  if (!found) return { label };
  return {
    label,
    hint: found.hint,
    ...(found.text && node && expression && fixing(expression, node, found.text)),
  };
}

/** A null in place of a number. */
function unusual(message: string, node?: ts.Expression): Words {
  const isNull = node?.kind === typescript.SyntaxKind.NullKeyword;
  return isNull
    ? { label: "counts as 0 here: a plain number is never null" }
    : { label: lowerFirst(message) };
}

function notThere(message: string): Words {
  const what = message.replace(/^Not implemented: /, "");
  if (what === "Closures") {
    return {
      label: "a function cannot use variables declared outside it",
      hint: "write it without a function, or split it into several fields",
    };
  }
  return { label: `AssemblyScript does not support this: ${what.toLowerCase()}` };
}

/** Explains a crash of the compiler: shifts of large numbers, or comparisons of nullable values. */
export function wordsForCrash(
  node: ts.Expression | undefined,
  expression: TypedExpression | undefined,
): Words {
  if (!node || !expression || !typescript.isBinaryExpression(node)) return {};
  const operator = node.operatorToken.getText();
  if (operator === "<<" || operator === ">>") {
    const text = `${primary(node.left)}.${operator === "<<" ? "leftShift" : "rightShift"}(${node.right.getText()})`;
    return { label: `BigInt has no ${operator}`, hint: `write ${text}`, ...fixing(expression, node, text) };
  }
  const type = expression.typeOf(node.left);
  if (type === undefined || !isNullable(type)) return {};
  const left = node.left.getText();
  return {
    label: `${left} may be null, and the compiler cannot compare nullable values`,
    hint: `test for null first: ${left} !== null && ${left}! ${operator} …`,
  };
}

function lowerFirst(message: string): string {
  return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, "");
}
