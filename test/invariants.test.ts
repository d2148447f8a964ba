import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../", import.meta.url));

/** The texts of a folder's files, by their paths. */
function textsIn(folder: string, isWanted: (file: string) => boolean): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter(isWanted)
    .map((file) => readFileSync(join(root, folder, file), "utf8"));
}

/** The invariants that the tables of READMEs number. */
const numbered = textsIn("src", (file) => file.endsWith("README.md")).flatMap(statedIn);
/** The invariants that titles of tests cite at their start. */
const cited = new Set(
  textsIn("test", (file) => file.endsWith(".test.ts") && file !== "invariants.test.ts").flatMap(citedIn),
);

function statedIn(readme: string): readonly string[] {
  return [...readme.matchAll(/^\| (INV-[A-Z]+\d+) \|/gm)].map(([, name]) => name as string);
}

function citedIn(test: string): readonly string[] {
  const starts = test.matchAll(/["`](INV-[A-Z]+\d+(?:, INV-[A-Z]+\d+)*): /g);
  return [...starts].flatMap(([, names = ""]) => names.split(", "));
}

it("every invariant in a README is cited by the title of a test, and vice versa", () => {
  expect([...cited].sort()).toEqual([...numbered].sort());
});

it("the invariants of a README are numbered without gaps", () => {
  const wings = new Map<string, number>();
  for (const name of numbered) {
    const [, wing = "", number] = /^INV-([A-Z]+)(\d+)$/.exec(name) ?? [];
    wings.set(wing, (wings.get(wing) ?? 0) + 1);
    expect(Number(number), name).toBe(wings.get(wing));
  }
  expect(wings.get("P")).toBeGreaterThan(10);
});

it("the rule finds invariants in tables and in titles", () => {
  expect(statedIn("text INV-P9\n| INV-P1 | It holds |\n| x | INV-P2 |\n")).toEqual(["INV-P1"]);
  const test = '// INV-P3: no\nit("INV-P1, INV-R2: it holds", hold);\nit.each(cases)(`INV-P4: x`, hold);';
  expect(citedIn(test)).toEqual(["INV-P1", "INV-R2", "INV-P4"]);
});
