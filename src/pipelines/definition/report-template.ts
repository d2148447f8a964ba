import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString, Location, Source } from "../../compiler/source/source.js";
import type { TreeNode } from "../../compiler/source/tree.js";

/** Where a template has placeholders that make it something else than YAML. */
const beginsValue = /^[ \t]*(?:- +)?(?:[\w"'.-]+:[ \t]+)?(\{\{[#/^&>!{]?[ \t]*[\w.\-@ ]+\}\})/m;
/** `{{name}}` and `__NAME__`, in any text but a script. */
const inText = /\{\{[ \t]*[\w.\-@ ]+\}\}|\b__[A-Z][A-Z0-9_]*__\b/;
/** `<name>`, in a text that cannot have it otherwise. */
const inSetting = new RegExp(`${inText.source}|<[A-Za-z][\\w -]*>`);
/** Settings that may have anything between angle brackets. A secret is only named, and whether it exists is seen later. */
const free: ReadonlySet<string> = new Set(["sql", "filter", "description", "display_name", "secret_name"]);

/** Reports a template that is not YAML before it is filled in; returns whether it is one. */
export function reportRawTemplate(source: Source, report: Report): boolean {
  const found = beginsValue.exec(source.text);
  if (!found) return false;
  const [line, placeholder = ""] = found;
  const end = found.index + line.length;
  return refuse(placeholder, { source, pointer: "", start: end - placeholder.length, end }, 1, report);
}

/** Reports placeholders of a template without values; returns whether there are any. */
export function reportPlaceholders(tree: TreeNode, report: Report): boolean {
  const found = [...placeholdersIn(tree, "")];
  const [first] = found;
  return first !== undefined && refuse(first.text, first.at, found.length, report);
}

function refuse(placeholder: string, at: Location, count: number, report: Report): true {
  const others =
    count === 1 ? "" : `, and the other ${count === 2 ? "placeholder" : `${count - 1} placeholders`}`;
  report.error(
    "unset-variable",
    at,
    `the definition is a template, in which ${quote(placeholder)} stands for a value`,
    {
      hint: `replace it${others} by a value, or run the tool that fills in the template`,
    },
  );
  return true;
}

interface Placeholder {
  readonly text: string;
  readonly at: Location;
}

/** @param setting the name of the setting that the node is the value of */
function* placeholdersIn(node: TreeNode, setting: string): Generator<Placeholder> {
  if (node.kind === "array") for (const item of node.items) yield* placeholdersIn(item, setting);
  if (node.kind === "object")
    for (const { key, value } of node.members) {
      yield* textsIn(key, inSetting);
      if (key.value !== "script" && key.value !== "tests") yield* placeholdersIn(value, key.value);
    }
  if (node.kind === "string") yield* textsIn(node, free.has(setting) ? inText : inSetting);
}

function* textsIn(text: LocatedString, pattern: RegExp): Generator<Placeholder> {
  for (const { 0: found, index } of text.value.matchAll(new RegExp(pattern, "g")))
    yield { text: found, at: text.part(index, index + found.length) };
}
