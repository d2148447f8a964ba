import fc from "fast-check";
import { expect, test } from "vitest";
import type { Edit } from "../../../src/compiler/diagnostics/diagnostic.js";
import { applyFixes } from "../../../src/compiler/fix/apply-fixes.js";
import type { LocatedString } from "../../../src/compiler/source/source.js";
import type { TreeNode } from "../../../src/compiler/source/tree.js";
import { propertyRun } from "../../support/property/property-run.js";
import { read } from "../parse/harness.js";
import { trickyText, written } from "./documents.js";
import { finding } from "./harness.js";

/** Keys and values in document order. Brackets preserve the shape. */
function* leaves(node: TreeNode): Generator<LocatedString | string> {
  if (node.kind === "string") yield node;
  else if (node.kind === "array") {
    yield "[";
    for (const item of node.items) yield* leaves(item);
    yield "]";
  } else if (node.kind === "object") {
    yield "{";
    for (const { key, value } of node.members) {
      yield key;
      yield* leaves(value);
    }
    yield "}";
  } else yield node.kind;
}

function keysOf(node: TreeNode): LocatedString[] {
  if (node.kind === "array") return node.items.flatMap(keysOf);
  if (node.kind !== "object") return [];
  return node.members.flatMap(({ key, value }) => [key, ...keysOf(value)]);
}

const textOf = (leaf: LocatedString | string): string => (typeof leaf === "string" ? leaf : `"${leaf.value}`);

const cut = fc.record({
  leaf: fc.nat(1000),
  from: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.double({ min: 0, max: 1, noNaN: true }),
  text: trickyText,
});

test("a fix changes only its target, or is not applied", () => {
  let made = 0;
  fc.assert(
    fc.property(written, fc.array(cut, { minLength: 1, maxLength: 4 }), ({ path, text }, cuts) => {
      const { source, tree } = read(path, text);
      // The library writes a few strings that it reads back differently, or not at all.
      fc.pre(tree !== undefined);
      if (!tree) return;
      const before = [...leaves(tree)];
      const keys = new Set(keysOf(tree));
      const wanted = new Map<LocatedString, Edit & { readonly kind: "part" }>();
      for (const { leaf, from, length, text: put } of cuts) {
        const strings = before.filter((one) => typeof one !== "string");
        const of = strings[leaf % strings.length];
        if (!of || wanted.has(of)) continue;
        const start = Math.round(from * of.value.length);
        const end = start + Math.round(length * (of.value.length - start));
        if (of.value.slice(start, end) !== put) wanted.set(of, { kind: "part", of, start, end, text: put });
      }
      const findings = [...wanted.values()].map((edit) => finding([edit]));
      const result = applyFixes(source, findings);
      const edits = result.applied.flatMap(({ fix }) => fix ?? []);
      made += edits.length;
      // Only keys are restricted: two keys must not become the same.
      const names = result.skipped.flatMap(({ diagnostic }) => diagnostic.fix ?? []);
      expect(names.filter((edit) => edit.kind !== "part" || !keys.has(edit.of))).toEqual([]);

      const after = read(path, result.text);
      const expected = before.map((leaf) => {
        const edit = typeof leaf === "string" ? undefined : wanted.get(leaf);
        if (typeof leaf === "string" || !edit || !edits.includes(edit)) return textOf(leaf);
        return `"${leaf.value.slice(0, edit.start)}${edit.text}${leaf.value.slice(edit.end)}`;
      });
      expect(after.found).toEqual([]);
      expect([...leaves(after.tree as TreeNode)].map(textOf)).toEqual(expected);

      let rest = result.text;
      for (const { start, end, text: put } of result.splices) {
        const changed = edits.some(
          (edit) => edit.kind === "part" && edit.of.at.start <= start && end <= edit.of.at.end,
        );
        expect(changed).toBe(true);
        rest = rest.slice(0, start) + source.text.slice(start, end) + rest.slice(start + put.length);
      }
      expect(rest).toBe(source.text);
    }),
    propertyRun(1000),
  );
  expect(made).toBeGreaterThan(1500);
});
