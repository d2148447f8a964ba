import type { ts } from "ts-morph";
import { groupBy } from "../../base/group-by.js";
import { nearName, sameDigits } from "../diagnostics/correct-name.js";
import { pathOf } from "../syntax/paths.js";
import { typescript } from "../syntax/typescript.js";
import { asObject, callOf, isDoubtful, readOf } from "./null-reading.js";
import type { TypedExpression } from "./typed-expression.js";
import type { Words } from "./words.js";

/** How many outputs a hint names. */
const mostNamed = 8;

/** Whether members are those of the result of a call with several outputs. */
export function isSeveralOutputs(members: readonly string[]): boolean {
  return members.includes("toMap") && members.includes("value0");
}

/**
 * What to say of an output that is read as if it were a member: `calls.slot0.tick`.
 * @param written what stands behind the result
 * @param object the result
 * @param access all that reads the output
 */
export function outputAsMember(
  written: string,
  object: ts.Expression,
  access: ts.Expression,
  members: readonly string[],
  expression: TypedExpression,
): Words {
  const inValue = written === "value" && typescript.isPropertyAccessExpression(access.parent);
  const [name, whole] =
    inValue && getterOf("value", members) === undefined
      ? [access.parent.name.text, access.parent]
      : [written, access];
  const member = members.includes(name) ? name : getterOf(name, members);
  if (member === undefined) return oneOf(object, members, expression, "none of its outputs has this name");
  const label = "read by a method of the result";
  return isDoubtful(object, expression)
    ? { label: `${label}, which may be null`, ...reading(object, whole, member, members, expression) }
    : { label, ...reading(object, whole, member, members, expression) };
}

/** What to say where a result of several outputs stands and one of them is meant. */
export function oneOf(
  object: ts.Expression,
  members: readonly string[],
  expression: TypedExpression,
  label: string,
): Words {
  const text = asObject(object, expression.typeOf(object) ?? "");
  const all = gettersIn(members).map((getter) => `${text}.${getter}()`);
  const named = [...all.slice(0, mostNamed), ...(all.length > mostNamed ? ["…"] : [])].join(", ");
  const call = isDoubtful(object, expression) ? callOf(pathOf(object)) : undefined;
  return { label, hint: `write one of ${named}${call === undefined ? "" : ` and ${requiring(call)}`}` };
}

/** `mark call "slot0" as "required": true`. */
export function requiring(call: string): string {
  return `mark call "${call}" as "required": true`;
}

/** The right way to read an output, for every place in the expression where this result is read alike. */
function reading(
  object: ts.Expression,
  access: ts.Expression,
  member: string,
  members: readonly string[],
  expression: TypedExpression,
): Words {
  const type = expression.typeOf(object) ?? "";
  const first = { access, text: textOf(object, access, member, type) };
  const all = [first, ...alike(object, type, access, members, expression)];
  const fix = all.map((one) => expression.replace(one.access, one.text));
  const shown = [...new Set(all.map((one) => (isCalled(one.access) ? `${one.text}()` : one.text)))];
  const hint = `write ${shown.join(" and ")}`;
  const path = pathOf(object);
  const call = callOf(path);
  if (!isDoubtful(object, expression)) return { hint, fix };
  const choice = `${path} === null ? … : ${first.text}${readOf(access)}`;
  if (call === undefined) return { hint: `write ${choice}`, fix };
  // With several places, what is written behind the first one holds another that is wrong as well.
  const alternative = all.length > 1 ? "" : `, or write ${choice}`;
  const also = `${all.length > 1 ? "," : ""} and ${requiring(call)}`;
  return { hint: `${hint}${also}${alternative}`, fix };
}

/** A place where an output is read, and how it has to be written. */
interface Place {
  readonly access: ts.Expression;
  readonly text: string;
}

/** An output as its getter gives it, or as the field that has it; parentheses that are there are kept. */
function textOf(object: ts.Expression, access: ts.Expression, member: string, type: string): string {
  const isField = /^value\d+$/.test(member);
  return `${asObject(object, type)}.${member}${isField || isCalled(access) ? "" : "()"}`;
}

function isCalled(access: ts.Expression): boolean {
  const { parent } = access;
  return typescript.isCallExpression(parent) && parent.expression === access;
}

/** The other places: the compiler stops at the first one, so that it knows the type of none of them. */
function alike(
  object: ts.Expression,
  type: string,
  known: ts.Expression,
  members: readonly string[],
  expression: TypedExpression,
): readonly Place[] {
  const path = pathOf(object);
  const places: Place[] = [];
  const visit = (node: ts.Node): void => {
    if (node === known || path === "") return;
    const isOther = typescript.isPropertyAccessExpression(node) && pathOf(node.expression) === path;
    const member =
      isOther && !members.includes(node.name.text) ? getterOf(node.name.text, members) : undefined;
    if (isOther && member !== undefined)
      places.push({ access: node, text: textOf(node.expression, node, member, type) });
    else typescript.forEachChild(node, visit);
  };
  visit(expression.root);
  return places;
}

function gettersIn(members: readonly string[]): readonly string[] {
  return members.filter((member) => member.startsWith("get"));
}

/** The getter of an output, whose name may be written as fields are, in another case, or with a slip. */
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
