import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { textsIn, titlesIn } from "./support/english/texts.js";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Phrases that read like a translation, with what to write instead. */
const habits: readonly (readonly [RegExp, string])[] = [
  [/\banew\b/i, "again"],
  [/\bwho(m)?ever\b/i, "the caller, the user"],
  [/\b(some|no|any)body\b/i, "a caller, a user, no one"],
  [/(?<!\b(do|does|says|shows|changes) )\bnothing (if|for|where)\b/i, "undefined if, or an empty list if"],
  [/\bthose (that|who|which)\b/i, "name the things"],
  [/(?<!\b(because|instead|member) )\bof it\b(?! (is|was)\b)/i, "its, or name the thing"],
  [/\bwhat (is|are|was|were) (told|kept|known|no)\b/i, "name the thing"],
  [/\bcomes? along\b/i, "arrives"],
  [/\bby now\b/i, "already, or leave it out"],
  [/\b(is|are|was|were|be|been) told\b(?! apart)/i, "reports, tells, with a subject"],
  [/\b(is|are) (that|those) of\b/i, "name the thing again"],
  [/\bas ever\b/i, "as before"],
  [/(?<!\bthere )\b(is|are|was|were|be|been) no (?!longer|more|other|less)[a-z]+/i, "is not a"],
];

/** Phrases that read so in comments; messages and the documentation still have some of them. */
const commentHabits: typeof habits = [
  [/\bwhat (becomes?|became|has become) of\b/i, "what happens to, or the outcome"],
  [/\b(go|goes|going) on\b/i, "continues"],
  [/\botherwise than\b/i, "differently than"],
  [/\blets? go of\b/i, "releases, drops"],
  [/\bholds? .{0,30}\bagainst\b|\bheld against\b/i, "compares with, checks against"],
  [/\bfor ever\b/i, "forever"],
  [/\bin vain\b/i, "say what failed"],
  [/\bbe had\b/i, "is available"],
  [/\b(knows?|hears?) of\b/i, "knows about, gets"],
];

/** Phrases that read so in titles of tests. */
const titleHabits: typeof habits = [
  ...commentHabits,
  [/(?<!soon )\bas (it is|they are)\b/i, "unchanged"],
  [/\bthe other way round\b/i, "vice versa, or in reverse order"],
  [/\btells? .{0,40}\bapart\b/i, "distinguishes"],
  [/\bwithout a word\b/i, "silently"],
  [/\bof one's own\b/i, "name the owner"],
  [/\bthough\b/i, "although, even if"],
  [/\bbegin(s|ning)? again\b/i, "restarts"],
];

/** The first word of a title without a subject. The title of a test within a `describe` continues that one's. */
const verbs =
  /^(is|are|was|were|has|have|can|cannot|may|must|does|do|runs|continues?|starts?|ends?|stops?|rejects?|refuses?|accepts?|reports?|shows?|names?|keeps?|finds?|returns?|writes?|reads?|takes?|gives?|leaves?|counts?|prints?|says?|lets?|sends?)\b/;

/** Folders of `src` with comments that still have these habits. */
const toDo: readonly string[] = ["pipelines/sinks/clickhouse"];

describe("English", () => {
  it("has none of the listed habits in the comments and texts of src", () => {
    const faults = filesIn("src", ".ts")
      .filter((file) => !toDo.some((folder) => file.startsWith(`src/${folder}/`)))
      .flatMap((file) =>
        textsIn(readFileSync(join(root, file), "utf8"))
          // A string without a blank is a name.
          .filter(({ kind, text }) => kind === "comment" || text.includes(" "))
          .flatMap(({ kind, line, text }) =>
            faultsIn(text, kind === "comment" ? [...habits, ...commentHabits] : habits).map(
              (fault) => `${file}:${line}: ${fault}`,
            ),
          ),
      );
    expect(faults).toEqual([]);
  });

  it("has none of the listed habits in the documentation", () => {
    const faults = ["README.md", ...filesIn("docs", ".md")].flatMap((file) =>
      readFileSync(join(root, file), "utf8")
        .split("\n")
        .flatMap((text, index) => faultsIn(text).map((fault) => `${file}:${index + 1}: ${fault}`)),
    );
    expect(faults).toEqual([]);
  });

  it("has none of the listed habits in the titles of tests", () => {
    const faults = filesIn("test", ".ts").flatMap((file) =>
      titlesIn(readFileSync(join(root, file), "utf8")).flatMap(({ line, text, isWhole }) =>
        [
          ...faultsIn(text, [...habits, ...titleHabits]),
          ...(isWhole && verbs.test(text) ? [`“${text}”: begin with a subject`] : []),
        ].map((fault) => `${file}:${line}: ${fault}`),
      ),
    );
    expect(faults).toEqual([]);
  });

  it("finds titles, and which of them are whole sentences", () => {
    const code = [
      'describe("a list", () => {',
      '  it.each([1, 2])("is %i", () => {});',
      "});",
      "it.each([",
      "  1,",
      "])(`is x`, async () => {});",
      'expect(read("is no title", 1));',
    ].join("\n");
    expect(titlesIn(code)).toEqual([
      { line: 1, text: "a list", isWhole: false },
      { line: 2, text: "is %i", isWhole: false },
      { line: 6, text: "is x", isWhole: true },
    ]);
  });

  it("finds a phrase across a line break, and tells comments from strings", () => {
    const code = [
      "// Is read",
      "//   anew, as a",
      'const url = "http://a"; /* one */ const half = 4 / 2; // two',
      'const matched = /[/"]`/.test(`x $' + "{call({ a: '//' })} anew`);",
      "/**",
      " * Reads them a",
      " * new way.",
      " */",
    ].join("\n");
    expect(textsIn(code)).toEqual([
      { kind: "comment", line: 1, text: "Is read anew, as a" },
      { kind: "string", line: 3, text: "http://a" },
      { kind: "comment", line: 3, text: "one" },
      { kind: "comment", line: 3, text: "two" },
      { kind: "string", line: 4, text: "x …" },
      { kind: "string", line: 4, text: "//" },
      { kind: "string", line: 4, text: "… anew" },
      { kind: "comment", line: 5, text: "Reads them a new way." },
    ]);
    expect(faultsIn("Is read anew, as a")).toEqual(["“anew”: write “again”"]);
    expect(faultsIn("There is no `anew`, and it is no longer read")).toEqual([]);
  });
});

/** Leaves out code in backticks, such as the names of settings. */
function faultsIn(text: string, phrases = habits): readonly string[] {
  const words = text.replace(/`[^`]*`/g, "``");
  return phrases.flatMap(([habit, instead]) => {
    const found = habit.exec(words);
    return found ? [`“${found[0]}”: write “${instead}”`] : [];
  });
}

function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(folder, file))
    .sort();
}
