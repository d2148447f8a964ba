import { quote } from "../../base/text/quote.js";
import type { Details, Edit } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { Located, LocatedString } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";
import type { FieldConfig } from "./config.js";
import type { KnownValue } from "./shape/guess-type.js";
import { membersOf } from "./shape/tree-access.js";

/**
 * The fields of an entity. Reports and leaves out keys that are not `<field name> <field type>`.
 * @param known the type of an expression, if it is certain
 */
export function readFields(
  node: TreeNode | undefined,
  known: (expression: string) => KnownValue | undefined,
  report: Report,
): readonly FieldConfig[] {
  const fields: FieldConfig[] = [];
  for (const { key, value } of membersOf(node)) {
    const split = splitKey(key, value, known, report);
    if (split && value.kind === "string") fields.push({ ...split, key, value });
  }
  return fields;
}

const example = 'write the field\'s name, a space and its type, such as "owner address"';

function splitKey(
  key: LocatedString,
  field: TreeNode,
  known: (expression: string) => KnownValue | undefined,
  report: Report,
): Pick<FieldConfig, "name" | "type"> | undefined {
  const text = key.value;
  const start = text.length - text.trimStart().length;
  const space = text.slice(start).search(/\s/);
  const end = space === -1 ? text.length : start + space;
  const name = part(key, start, end);
  if (name.value === "") {
    return void report.error("field-key", key.at, "a field has an empty key", {
      label: "neither a name nor a type",
      hint: example,
    });
  }
  if (!/^[_A-Za-z]\w*$/.test(name.value)) {
    const notes = ['a field\'s name is a letter or "_", then letters, digits and "_"'];
    return void report.error("field-key", name.at, `${quote(name.value)} is not a valid field name`, {
      label: "not a valid name",
      notes,
      hint: usable(name.value) ?? "choose a name that begins with a letter and has no other characters",
    });
  }
  const typeStart = text.length - text.slice(end).trimStart().length;
  const type = part(key, typeStart, text.trimEnd().length);
  if (type.value === "") {
    return void report.error("field-key", key.at, `the field ${quote(name.value)} has no type`, {
      label: "only a name",
      ...(field.kind === "string" && withType(key, field, known(field.value))),
    });
  }
  if (!isOneWord(type.value)) {
    const message = `${quote(type.value)} is more than one type`;
    return void report.error("field-key", type.at, message, {
      label: "everything after the name is the type",
      hint: example,
    });
  }
  return { name, type };
}

function part(key: LocatedString, start: number, end: number): Located<string> {
  return { value: key.value.slice(start, Math.max(start, end)), at: key.part(start, end) };
}

/** The type of a field without one, and the value that it then needs. */
function withType(
  key: LocatedString,
  field: LocatedString,
  known: KnownValue | undefined,
): Pick<Details, "hint" | "fix"> {
  if (!known) return { hint: example };
  const { type, suffix } = known;
  const name = key.value.trim();
  const [end, last] = [key.value.trimEnd().length, field.value.trimEnd().length];
  const typed: Edit = { kind: "part", of: key, start: end, end, text: ` ${type}` };
  if (suffix === "") return { hint: `write ${quote(`${name} ${type}`)}`, fix: [typed] };
  return {
    hint: `write ${quote(`${name} ${type}`)}, and ${field.value.trim()}${suffix} as its value`,
    fix: [typed, { kind: "part", of: field, start: last, end: last, text: suffix }],
  };
}

/** A name without its invalid characters. */
function usable(name: string): string | undefined {
  const words = name.split(/\W+/).filter((word) => word !== "");
  const text = words.join("_");
  return /^[_A-Za-z]\w*$/.test(text) ? `write ${quote(text)}` : undefined;
}

/** White space belongs to a type only inside the parentheses of a tuple. */
function isOneWord(type: string): boolean {
  let depth = 0;
  for (const character of type) {
    if (character === "(") depth += 1;
    else if (character === ")") depth -= 1;
    else if (depth <= 0 && /\s/.test(character)) return false;
  }
  return true;
}
