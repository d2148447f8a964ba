import type { ts } from "ts-morph";
import { nearName } from "../diagnostics/correct-name.js";
import { constantText } from "../syntax/constant-text.js";
import { graphTsNames } from "../syntax/graph-ts-names.js";
import { pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import { callRead } from "./null-reading.js";
import { isSeveralOutputs, outputAsMember } from "./output-words.js";
import { noMemberOfResult } from "./result-words.js";
import { aType, isBytes, withoutNull } from "./type-words.js";
import { primary, type TypedExpression } from "./typed-expression.js";
import { fixing, type Words } from "./words.js";

/** Method names of other big number libraries, and ours. */
const synonyms: Readonly<Record<string, string>> = {
  add: "plus",
  sub: "minus",
  subtract: "minus",
  mul: "times",
  multiply: "times",
  divide: "div",
  dividedBy: "div",
  eq: "equals",
  isEqual: "equals",
  toNumber: "toI32",
  toInt: "toI32",
  toHex: "toHexString",
  toLowerCase: "toHexString",
  time: "timestamp",
  blockTimestamp: "timestamp",
  blockNumber: "number",
  sender: "from",
};

/** `amount.add`: a member that the type lacks. */
export function noMember(
  name: string,
  type: string,
  members: readonly string[],
  node?: ts.Expression,
  expression?: TypedExpression,
): Words {
  const access = node?.parent;
  const ofResult =
    access && expression && typescript.isPropertyAccessExpression(access)
      ? noMemberOfResult(name, members, access.expression, access, expression)
      : undefined;
  if (ofResult) return ofResult;
  const label = `${aType(withoutNull(type))} has no such member`;
  if (type === "Uint8Array" && /^(?:to(?:Hex|HexString|Base58)|concat)$/.test(name)) {
    return { label, hint: "convert it: Bytes.fromUint8Array(…)" };
  }
  const synonym = Object.hasOwn(synonyms, name) ? synonyms[name] : undefined;
  const near =
    synonym !== undefined && members.includes(synonym)
      ? { name: synonym, certain: true }
      : nearName(name, members);
  if (near?.certain) {
    return {
      label,
      hint: `write ${near.name}`,
      ...(node && expression && fixing(expression, node, near.name)),
    };
  }
  return {
    label,
    hint: members.length > 0 && members.length <= 12 ? `it has ${members.join(", ")}` : undefined,
  };
}

/** Constants that handwritten mappings usually declare in a helper file. */
const constants: Readonly<Record<string, string>> = {
  ADDRESS_ZERO: "Address.zero()",
  ZERO_ADDRESS: "Address.zero()",
  ZERO_BI: "BigInt.zero()",
  BIGINT_ZERO: "BigInt.zero()",
  ONE_BI: "BigInt.fromI32(1)",
  BIGINT_ONE: "BigInt.fromI32(1)",
  ZERO_BD: "BigDecimal.zero()",
  BIGDECIMAL_ZERO: "BigDecimal.zero()",
};

export function unknownName(name: string, node?: ts.Expression, expression?: TypedExpression): Words {
  if (name === "undefined") {
    const fix = node && expression ? fixing(expression, node, "null") : {};
    return { label: "AssemblyScript has no undefined", hint: "write null", ...fix };
  }
  const constant = Object.hasOwn(constants, name) ? constants[name] : undefined;
  if (constant !== undefined) {
    const fix = node && expression ? fixing(expression, node, constant) : {};
    return {
      label: "a constant of handwritten mappings, which expressions do not have",
      hint: `write ${constant}`,
      ...fix,
    };
  }
  const near = nearName(name, ["event", "call", "calls", "entity", ...graphTsNames]);
  const label = "not defined here";
  if (!near?.certain) return { label, hint: "use event (or call), entity, calls and what graph-ts exports" };
  return { label, hint: `write ${near.name}` };
}

/** `BigInt("5")`: a class is not a function. */
export function noValue(node?: ts.Expression, expression?: TypedExpression): Words {
  const [argument] = node && typescript.isCallExpression(node) ? node.arguments : [];
  const name = node && typescript.isCallExpression(node) ? node.expression.getText() : "";
  if (node && argument && name === "String") return asText(node, argument, expression);
  if (!node || !argument || !/^(?:BigInt|BigDecimal|Address)$/.test(name))
    return { label: "this is not a value" };
  const isText = typescript.isStringLiteral(argument);
  const text = `${name}.${isText ? "fromString" : "fromI32"}(${argument.getText()})`;
  return {
    label: "a class cannot be called",
    hint: `write ${text}`,
    ...(isText && expression && fixing(expression, node, text)),
  };
}

/** `String(x)`: values have a method for that, and raw bytes have a different one. */
function asText(node: ts.Expression, argument: ts.Expression, expression?: TypedExpression): Words {
  const label = "a class cannot be called";
  const [plain, hex] = [`${primary(argument)}.toString()`, `${primary(argument)}.toHexString()`];
  const type = expression?.typeOf(argument);
  if (!expression || type === undefined)
    return { label, hint: `write ${plain}, or ${hex} for an address or bytes` };
  const text = isBytes(type) ? hex : plain;
  return { label, hint: `write ${text}`, ...fixing(expression, node, text) };
}

/** `calls.total()`: a call's result is a value, like all members of an event. */
export function noFunction(node?: ts.Expression, expression?: TypedExpression): Words {
  const label = "this is a value, not a function";
  if (!node || !expression || !typescript.isCallExpression(node)) return { label };
  const value = node.expression;
  const isResult = callRead(pathOf(value)) !== undefined;
  const text = value.getText();
  return {
    label: isResult ? "the call is already made: this is its result" : label,
    hint: `write ${text}`,
    ...(node.arguments.length === 0 && fixing(expression, node, text)),
  };
}

/**
 * `event.params["value"]`: members need a dot.
 * @param type the object's type
 * @param members its members
 */
export function inBrackets(
  type: string,
  members: readonly string[],
  node?: ts.Expression,
  expression?: TypedExpression,
): Words {
  const access = node?.parent;
  const label = "has no elements to access by brackets";
  if (!access || !typescript.isElementAccessExpression(access) || !expression) return { label };
  const { argumentExpression: key } = access;
  if (isSeveralOutputs(members)) {
    const name = typescript.isNumericLiteral(key) ? `value${key.text}` : constantText(key);
    return outputAsMember(name ?? "", { node: access.expression, type, members }, access, expression);
  }
  if (!typescript.isStringLiteral(key) || !/^[a-zA-Z_$][\w$]*$/.test(key.text)) return { label };
  const text = `${access.expression.getText()}.${key.text}`;
  return { label, hint: `write ${text}`, ...fixing(expression, access, text) };
}
