import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LineHistory } from "../../../src/compiler/fix/line-history.js";
import { type Splice, splice } from "../../../src/compiler/fix/splice.js";
import { unifiedDiff } from "../../../src/compiler/fix/unified-diff.js";
import { propertyRun } from "../../support/property/property-run.js";

/** The diff after rounds of replacing words that occur once. */
function diffOf(before: string, ...rounds: readonly (readonly [string, string])[][]): string {
  const history = new LineHistory(before);
  let text = before;
  for (const round of rounds) {
    const splices = round
      .map(([word, put]) => ({ start: text.indexOf(word), end: text.indexOf(word) + word.length, text: put }))
      .sort((a, b) => a.start - b.start);
    history.change(text, splices);
    text = splice(text, splices);
  }
  return unifiedDiff("c.json", before, text, history);
}

const numbered = Array.from({ length: 20 }, (_, index) => `line${index + 1};`).join("\n");

describe("a diff", () => {
  test("shows three lines around a change, and joins nearby changes", () => {
    expect(
      diffOf(`${numbered}\n`, [
        ["line2;", "two"],
        ["line5;", "five"],
        ["line16;", "sixteen"],
      ]),
    ).toBe(
      [
        "--- c.json",
        "+++ c.json",
        "@@ -1,8 +1,8 @@",
        " line1;",
        "-line2;",
        "+two",
        " line3;",
        " line4;",
        "-line5;",
        "+five",
        " line6;",
        " line7;",
        " line8;",
        "@@ -13,7 +13,7 @@",
        " line13;",
        " line14;",
        " line15;",
        "-line16;",
        "+sixteen",
        " line17;",
        " line18;",
        " line19;",
        "",
      ].join("\n"),
    );
  });

  test("counts removed and added lines over several rounds", () => {
    const diff = diffOf(
      numbered,
      [["line3;\nline4;\nline5;", "345"]],
      [
        ["line19;", "a\nb"],
        ["345", "3"],
      ],
    );
    expect(diff).toContain("@@ -1,8 +1,6 @@\n line1;\n line2;\n-line3;\n-line4;\n-line5;\n+3\n line6;\n");
    expect(diff).toContain(
      "@@ -16,5 +14,6 @@\n line16;\n line17;\n line18;\n-line19;\n+a\n+b\n line20;\n\\ No newline at end of file\n",
    );
  });

  test("is empty if nothing changed, or if the changes were reverted", () => {
    expect(diffOf("a\nb\n", [])).toBe("");
    expect(diffOf("a\nb\n", [["b", "c"]], [["c", "b"]])).toBe("");
    const joined = diffOf("a\nb\nc\n", [["a\nb", "x\ny"]], [["x", "a"]]);
    expect(joined).toBe("--- c.json\n+++ c.json\n@@ -1,3 +1,3 @@\n a\n-b\n+y\n c\n");
  });

  test("escapes terminal control characters, and hides carriage returns at line ends", () => {
    expect(diffOf("a\u001b[2J\tx\r\nb\r\n", [["x", "y"]])).toBe(
      "--- c.json\n+++ c.json\n@@ -1,2 +1,2 @@\n-a\\u001b[2J\tx\n+a\\u001b[2J\ty\n b\n",
    );
  });

  test("reports the kind of each line, for colours", () => {
    const history = new LineHistory("a\nb\n");
    history.change("a\nb\n", [{ start: 0, end: 1, text: "x" }]);
    const diff = unifiedDiff("c", "a\nb\n", "x\nb\n", history, (role, line) => `${role}${line.slice(0, 2)}`);
    expect(diff).toBe("file--\nfile++\nhunk@@\nremoved-a\nadded+x\nsame b\n");
  });
});

/** Applies a diff. */
function patch(text: string, diff: string): string {
  const lines = text.split("\n");
  const result: string[] = [];
  let at = 0;
  for (const line of diff.split("\n").slice(2, -1)) {
    const head = /^@@ -(\d+),/.exec(line);
    if (head) while (at < Number(head[1]) - 1) result.push(lines[at++] as string);
    else if (line.startsWith("+")) result.push(line.slice(1));
    else if (!line.startsWith("\\")) {
      expect(lines[at]).toBe(line.slice(1));
      if (line.startsWith(" ")) result.push(lines[at] as string);
      at += 1;
    }
  }
  return [...result, ...lines.slice(at)].join("\n");
}

test("applying the diff of any change reproduces the change", () => {
  const piece = fc.stringMatching(/^[ab\n]{0,6}$/);
  const cuts = fc.array(fc.tuple(fc.nat(60), fc.nat(4), piece), { maxLength: 3 });
  fc.assert(
    fc.property(fc.stringMatching(/^[abc\n]{1,60}x$/), fc.array(cuts, { maxLength: 3 }), (before, rounds) => {
      const history = new LineHistory(before);
      let text = before;
      for (const round of rounds) {
        const splices: Splice[] = [];
        for (const [start, length, put] of round.toSorted((a, b) => a[0] - b[0])) {
          const end = start + length;
          if (end < text.length && start > (splices.at(-1)?.end ?? -1))
            splices.push({ start, end, text: put });
        }
        history.change(text, splices);
        text = splice(text, splices);
      }
      expect(patch(before, unifiedDiff("c", before, text, history))).toBe(text);
    }),
    propertyRun(1000),
  );
});
