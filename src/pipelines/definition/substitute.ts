import { quote } from "../../base/text/quote.js";
import type { Report } from "../../compiler/diagnostics/report.js";
import type { LocatedString } from "../../compiler/source/source.js";
import type { Member, StringNode, TreeNode } from "../../compiler/source/tree.js";

/** Returns the value of a variable by its name. */
export type Variables = (name: string) => string | undefined;

/** A variable in a string. Lower-case names are left to scripts, which have such placeholders too. */
const variable = /\$\{([A-Z_][A-Z0-9_]*)\}/g;

/** Settings whose strings are left unchanged, because programs have such placeholders of their own. */
const untouched: ReadonlySet<string> = new Set(["script"]);

/** Replaces the variables in all strings of a definition. One without a value is reported, and stays. */
export function substitute(tree: TreeNode, variables: Variables, report: Report): TreeNode {
  switch (tree.kind) {
    case "object":
      return { ...tree, members: tree.members.map((member) => substituteMember(member, variables, report)) };
    case "array":
      return { ...tree, items: tree.items.map((item) => substitute(item, variables, report)) };
    case "string":
      return tree.value.includes("${") ? substituteString(tree, variables, report) : tree;
    default:
      return tree;
  }
}

function substituteMember({ key, value }: Member, variables: Variables, report: Report): Member {
  return { key, value: untouched.has(key.value) ? value : substitute(value, variables, report) };
}

/** A stretch of a string after the replacement, and where it was before. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

function substituteString(text: StringNode, variables: Variables, report: Report): StringNode {
  const pieces: Piece[] = [];
  let value = "";
  let from = 0;
  const add = (added: string, to: number): void => {
    if (added !== "") pieces.push({ start: value.length, end: value.length + added.length, from, to });
    value += added;
    from = to;
  };
  for (const { 0: written, 1: name = "", index } of text.value.matchAll(variable)) {
    const end = index + written.length;
    add(text.value.slice(from, index), index);
    const given = variables(name);
    if (given === undefined)
      report.error("unset-variable", text.part(index, end), `variable ${quote(name)} has no value`, {
        hint: `pass --var ${name}=<value>, or set the environment variable`,
      });
    add(given ?? written, end);
  }
  add(text.value.slice(from), text.value.length);
  return { kind: "string", value, at: text.at, part: partOf(text, pieces) };
}

/** Locates a part of the new string: within text that stayed exactly, within a replacement the whole variable. */
function partOf(text: LocatedString, pieces: readonly Piece[]): LocatedString["part"] {
  const before = (offset: number, isEnd: boolean): number => {
    const piece = pieces.find(({ start, end }) =>
      isEnd ? offset > start && offset <= end : offset >= start && offset < end,
    );
    if (!piece) return offset <= 0 ? 0 : text.value.length;
    const isSame =
      piece.end - piece.start === piece.to - piece.from &&
      !text.value.slice(piece.from, piece.to).startsWith("${");
    if (isSame) return piece.from + offset - piece.start;
    return isEnd ? piece.to : piece.from;
  };
  return (start, end) => {
    const from = before(start, false);
    return text.part(from, Math.max(from, start === end ? from : before(end, true)));
  };
}
