import type { ts } from "ts-morph";
import { groupBy } from "../../base/group-by.js";
import { nearName, sameDigits } from "../diagnostics/correct-name.js";
import { pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import { asObject, callRead, isDoubtful, readOf } from "./null-reading.js";
import type { TypedExpression } from "./typed-expression.js";
import type { Words } from "./words.js";

/** Maximum number of outputs in a hint. */
const mostNamed = 8;

/** Whether members belong to a result class. */
export function isSeveralOutputs(members: readonly string[]): boolean {
  return members.includes("toMap") && members.includes("value0");
}

/** A call result with several outputs in an expression. */
export interface SeveralOutputs {
  readonly node: ts.Expression;
  /** Its type: a result class, nullable if the call may have reverted. */
  readonly type: string;
  /** The members of the result class. */
  readonly members: readonly string[];
}

/**
 * Advice about an output that is read like a property: `calls.slot0.tick`.
 * @param written the name after the result
 * @param access the whole member access
 */
export function outputAsMember(
  written: string,
  result: SeveralOutputs,
  access: ts.Expression,
  expression: TypedExpression,
): Words {
  const { node, type, members } = result;
  const inValue = written === "value" && typescript.isPropertyAccessExpression(access.parent);
  const [name, whole] =
    inValue && getterOf("value", members) === undefined
      ? [access.parent.name.text, access.parent]
      : [written, access];
  const member = members.includes(name) ? name : getterOf(name, members);
  if (member === undefined) return oneOf(result, expression, "no output has this name");
  const label = "read through a method of the result";
  return {
    label: isDoubtful(node, type, expression) ? `${label}, which may be null` : label,
    ...reading(result, whole, member, expression),
  };
}

/** Advice about a whole result used in place of one of its outputs. */
export function oneOf(result: SeveralOutputs, expression: TypedExpression, label: string): Words {
  const { node, type, members } = result;
  const all = gettersIn(members).map((getter) => `${asObject(node, type)}.${getter}()`);
  const named = [...all.slice(0, mostNamed), ...(all.length > mostNamed ? ["…"] : [])].join(", ");
  return { label, hint: `write one of ${named}`, ...aboutNull(result, undefined, expression) };
}

/** Advice about a nullable result: `!` alone may abort the handler. */
function aboutNull(
  { node, type }: SeveralOutputs,
  reading: string | undefined,
  expression: TypedExpression,
): Pick<Words, "notes"> {
  const path = pathOf(node);
  const call = callRead(path);
  if (call === undefined || !isDoubtful(node, type, expression)) return {};
  const choice = reading === undefined ? "" : `, or write ${path} === null ? … : ${reading}`;
  return { notes: [`calls.${call} is null when the call reverts: ${requiring(call)}${choice}`] };
}

/** `mark call "slot0" as "required": true`. */
export function requiring(call: string): string {
  return `mark call "${call}" as "required": true`;
}

/** The corrected access of an output, for every place in the expression that reads this result in the same way. */
function reading(
  result: SeveralOutputs,
  access: ts.Expression,
  member: string,
  expression: TypedExpression,
): Words {
  const first = { access, text: getterText(result.node, access, member, result.type) };
  const all = [first, ...alike(result, access, expression)];
  const shown = [...new Set(all.map((one) => (isCalled(one.access) ? `${one.text}()` : one.text)))];
  // With several places, the text after the first may contain another wrong one.
  const whole = all.length > 1 ? undefined : first.text + readOf(access);
  return {
    hint: `write ${shown.join(" and ")}`,
    fix: all.map((one) => expression.replace(one.access, one.text)),
    ...aboutNull(result, whole, expression),
  };
}

/** An access of an output, and its correction. */
interface Place {
  readonly access: ts.Expression;
  readonly text: string;
}

/** An output's getter or field; keeps existing parentheses. */
function getterText(object: ts.Expression, access: ts.Expression, member: string, type: string): string {
  const isField = /^value\d+$/.test(member);
  return `${asObject(object, type)}.${member}${isField || isCalled(access) ? "" : "()"}`;
}

function isCalled(access: ts.Expression): boolean {
  const { parent } = access;
  return typescript.isCallExpression(parent) && parent.expression === access;
}

/** The other places. Their types are unknown, because the compiler stops at the first error. */
function alike(
  { node: result, type, members }: SeveralOutputs,
  known: ts.Expression,
  expression: TypedExpression,
): readonly Place[] {
  const path = pathOf(result);
  const places: Place[] = [];
  const visit = (node: ts.Node): void => {
    if (node === known || path === "") return;
    const isOther = typescript.isPropertyAccessExpression(node) && pathOf(node.expression) === path;
    const member =
      isOther && !members.includes(node.name.text) ? getterOf(node.name.text, members) : undefined;
    if (isOther && member !== undefined)
      places.push({ access: node, text: getterText(node.expression, node, member, type) });
    else typescript.forEachChild(node, visit);
  };
  visit(expression.root);
  return places;
}

function gettersIn(members: readonly string[]): readonly string[] {
  return members.filter((member) => member.startsWith("get"));
}

/** The getter of an output, even if written like a field, in a different case, or with a typo. */
function getterOf(name: string, members: readonly string[]): string | undefined {
  const key = (text: string): string => text.replaceAll("_", "").toLowerCase();
  const byKey = groupBy(gettersIn(members), (getter) => key(getter.slice("get".length)));
  for (const word of [key(name), key(name.replace(/^get_?/i, ""))]) {
    const [getter, ...others] = byKey.get(word) ?? [];
    if (getter !== undefined && others.length === 0) return getter;
  }
  const near = nearName(key(name), byKey.keys());
  const isSure = near?.certain && sameDigits(near.name, name);
  const [getter, ...others] = isSure ? (byKey.get(near.name) ?? []) : [];
  return others.length === 0 ? getter : undefined;
}
