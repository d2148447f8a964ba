import { quote } from "../../base/quote.js";
import type { Report } from "../diagnostics/report.js";
import type { Located, LocatedString } from "../source/source.js";
import type { TreeNode } from "../source/tree.js";
import type { FieldConfig } from "./config.js";
import { membersOf } from "./tree-access.js";

/** Reads the fields of an entity. Keys that are not `<field name> <field type>` are reported and left out. */
export function readFields(node: TreeNode | undefined, report: Report): readonly FieldConfig[] {
  const fields: FieldConfig[] = [];
  for (const { key, value } of membersOf(node)) {
    const split = splitKey(key, report);
    if (split && value.kind === "string") fields.push({ ...split, key, value });
  }
  return fields;
}

const example = 'write the field\'s name, a space and its type, such as "owner address"';

function splitKey(key: LocatedString, report: Report): Pick<FieldConfig, "name" | "type"> | undefined {
  const text = key.value;
  const start = text.length - text.trimStart().length;
  const space = text.slice(start).search(/\s/);
  const end = space === -1 ? text.length : start + space;
  const name = part(key, start, end);
  if (name.value === "") {
    return void report.error("field-key", key.at, "a field has an empty key", {
      label: "neither name nor type",
      hint: example,
    });
  }
  if (!/^[_A-Za-z]\w*$/.test(name.value)) {
    const notes = ['a field\'s name is a letter or "_", then letters, digits and "_"'];
    return void report.error("field-key", name.at, `${quote(name.value)} is not a name for a field`, {
      label: "not a name",
      notes,
      hint: "choose a name that begins with a letter and has no other signs",
    });
  }
  const typeStart = text.length - text.slice(end).trimStart().length;
  const type = part(key, typeStart, text.trimEnd().length);
  if (type.value === "") {
    return void report.error("field-key", key.at, `the field ${quote(name.value)} has no type`, {
      label: "only a name",
      hint: example,
    });
  }
  if (!isOneWord(type.value)) {
    const message = `${quote(type.value)} is more than one type`;
    return void report.error("field-key", type.at, message, {
      label: "all of this is the type",
      hint: example,
    });
  }
  return { name, type };
}

function part(key: LocatedString, start: number, end: number): Located<string> {
  return { value: key.value.slice(start, Math.max(start, end)), at: key.part(start, end) };
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
