import fc from "fast-check";
import { expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { propertyRun } from "../../support/property/property-run.js";
import { digString, read, span, textAt } from "./harness.js";

test("the parser reads a hundred thousand JSON keys without scanning them again for each key", () => {
  const members = Array.from({ length: 100_000 }, (_, index) => `"key number ${index}": "value"`);
  expect(read("a.json", `{${members.join()}}`).found).toEqual([]);
});

test("the parser reads a megabyte of escapes in a JSON string", () => {
  const node = digString(read("a.json", `"${"\\n".repeat(1_000_000)}"`).tree);
  expect(span(node.part(999_999, 1_000_000))).toBe("1:2000000-1:2000002");
});

test("the parser locates every word of any YAML string, in every style", () => {
  const types = ["PLAIN", "QUOTE_SINGLE", "QUOTE_DOUBLE", "BLOCK_LITERAL", "BLOCK_FOLDED"] as const;
  const word = fc.stringMatching(/^[a-z'"\\:#]{1,6}$/);
  const gap = fc.constantFrom(" ", "  ", "\n", "\n\n", "\n ", "\t");
  const texts = fc.array(fc.tuple(word, gap), { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(texts, fc.constantFrom(...types), fc.constantFrom(0, 20, 40), (parts, type, lineWidth) => {
      const value = parts.flat().join("");
      const text = stringify(
        { a: { k: value } },
        { defaultStringType: type, defaultKeyType: "PLAIN", lineWidth },
      );
      // The printer changes some texts that start or end with blanks. They are skipped.
      fc.pre(parse(text).a.k === value);
      const node = digString(read("a.yaml", text).tree, "a", "k");
      const letters = [...value.matchAll(/[a-z]/g)];
      for (const { 0: letter, index } of letters) expect(textAt(node.part(index, index + 1))).toBe(letter);
    }),
    propertyRun(500),
  );
});
