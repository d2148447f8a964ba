import type { Diagnostic, Edit } from "../../../src/compiler/diagnostics/diagnostic.js";
import { type AppliedFixes, applyFixes } from "../../../src/compiler/fix/apply-fixes.js";
import type { LocatedString } from "../../../src/compiler/source/source.js";
import { member, type TreeNode } from "../../../src/compiler/source/tree.js";
import { dig, digString, read } from "../parse/harness.js";

/** A finding that carries a fix. */
export function finding(fix: readonly Edit[], message = "wrong"): Diagnostic {
  const [edit] = fix;
  const at = edit?.kind === "part" ? edit.of.at : edit?.at;
  return {
    code: "unknown-key",
    severity: "error",
    message,
    ...(at && { at }),
    related: [],
    notes: [],
    fix,
  };
}

/** The edit that replaces `old`, which occurs in the string, by `text`. */
export function replacing(of: LocatedString, old: string, text: string): Edit {
  const start = of.value.indexOf(old);
  if (start === -1) throw new Error(`no ${old} in ${of.value}`);
  return { kind: "part", of, start, end: start + old.length, text };
}

/** A key of the document. */
export function digKey(tree: TreeNode | undefined, ...path: string[]): LocatedString {
  const found = member(dig(tree, ...path.slice(0, -1)), path.at(-1) as string);
  if (!found) throw new Error(`no key ${path.join("/")}`);
  return found.key;
}

/** Parses a text and applies the fixes that `fixes` builds from its tree. */
export function fixing(
  path: string,
  text: string,
  fixes: (tree: TreeNode | undefined) => readonly (readonly Edit[])[],
): AppliedFixes {
  const { source, tree, found } = read(path, text);
  if (!tree) throw new Error(found.join("\n"));
  return applyFixes(
    source,
    fixes(tree).map((fix, index) => finding(fix, String(index))),
  );
}

/** Replaces `old` by `text` in the value at `a`. */
export function fixA(path: string, text: string, old: string, put: string): string {
  return fixing(path, text, (tree) => [[replacing(digString(tree, "a"), old, put)]]).text;
}
