import type { ts } from "ts-morph";
import { pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import { asObject, callRead } from "./null-reading.js";
import { isSeveralOutputs, outputAsMember } from "./output-words.js";
import type { TypedExpression } from "./typed-expression.js";
import { fixing, type Words } from "./words.js";

/**
 * Advice about a missing member of a call's result, based on its outputs or on contract calls in handwritten
 * mappings; `undefined` for other values.
 * @param object the object of the member access
 * @param access the whole member access
 */
export function noMemberOfResult(
  name: string,
  members: readonly string[],
  object: ts.Expression,
  access: ts.Expression,
  expression: TypedExpression,
): Words | undefined {
  const call = callRead(pathOf(object));
  if (name === "reverted" && call !== undefined) {
    const text = `calls.${call}_reverted`;
    return {
      label: "the result has no such member",
      hint: `write ${text}`,
      ...fixing(expression, access, text),
    };
  }
  const type = expression.typeOf(object) ?? "";
  if (isSeveralOutputs(members))
    return outputAsMember(name, { node: object, type, members }, access, expression);
  const component = /^get_?(.+)$/.exec(name)?.[1];
  if (component !== undefined && isStruct(members))
    return componentAsMethod(component, object, access, members, expression);
  if (!/^value0?$/.test(name) || call === undefined) return undefined;
  const isRead = typescript.isPropertyAccessExpression(access.parent);
  const text = isRead ? asObject(object, type) : object.getText();
  return { label: "this call has one output", hint: `write ${text}`, ...fixing(expression, access, text) };
}

/** Structs extend `ethereum.Tuple`, and so also have its members. */
function isStruct(members: readonly string[]): boolean {
  return members.includes("forEach") && members.includes("push");
}

/** `calls.info.getTick()` on a struct: components are properties. */
function componentAsMethod(
  component: string,
  object: ts.Expression,
  access: ts.Expression,
  members: readonly string[],
  expression: TypedExpression,
): Words | undefined {
  const member = members.find((one) => one.toLowerCase() === component.toLowerCase());
  if (member === undefined) return undefined;
  const { parent } = access;
  const isCalled = typescript.isCallExpression(parent) && parent.expression === access;
  const text = `${asObject(object, expression.typeOf(object) ?? "")}.${member}`;
  return {
    label: "components of a struct are properties, not methods",
    hint: `write ${text}`,
    ...fixing(expression, isCalled ? parent : access, text),
  };
}
