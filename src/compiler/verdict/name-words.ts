import type { ts } from "ts-morph";
import { nearName } from "../diagnostics/correct-name.js";
import { constantText } from "../syntax/constant-text.js";
import { graphTsNames } from "../syntax/graph-ts-names.js";
import { typescript } from "../syntax/typescript.js";
import { isSeveralOutputs, outputAsMember } from "./output-words.js";
import { noMemberOfResult } from "./result-words.js";
import { aType, withoutNull } from "./type-words.js";
import type { TypedExpression } from "./typed-expression.js";
import { fixing, type Words } from "./words.js";

/** Names of methods in other big number libraries, and ours. */
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
    return { label, hint: "make it Bytes: Bytes.fromUint8Array(…)" };
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

/** An unknown name. */
export function unknownName(name: string, node?: ts.Expression, expression?: TypedExpression): Words {
  if (name === "undefined") {
    const fix = node && expression ? fixing(expression, node, "null") : {};
    return { label: "AssemblyScript has no undefined", hint: "write null", ...fix };
  }
  const near = nearName(name, ["event", "call", "calls", "entity", ...graphTsNames]);
  const label = "nothing has this name here";
  if (!near?.certain) return { label, hint: "use event (or call), entity, calls and what graph-ts exports" };
  return { label, hint: `write ${near.name}` };
}

/** `BigInt("5")`: a class is not a function. */
export function noValue(node?: ts.Expression, expression?: TypedExpression): Words {
  const [argument] = node && typescript.isCallExpression(node) ? node.arguments : [];
  const name = node && typescript.isCallExpression(node) ? node.expression.getText() : "";
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

/**
 * `event.params["value"]`: members are accessed by a dot.
 * @param type the type of the object, and `members` its members
 */
export function inBrackets(
  type: string,
  members: readonly string[],
  node?: ts.Expression,
  expression?: TypedExpression,
): Words {
  const access = node?.parent;
  const label = "has no elements to choose by brackets";
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
