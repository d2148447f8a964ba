import { expect, it } from "vitest";
import { searchManual } from "../../src/base/search-manual.js";

const page = (name: string, title: string, body: string) => ({
  name,
  title,
  part: "Start",
  markdown: `# ${title}\n\n${body}`,
});
const manual = [
  page(
    "a",
    "Servers",
    "Start it.\n\n## Back up\n\nCopy the folder.\n\n## Ports\n\nMake a backup of the ports file.\n",
  ),
  page(
    "b",
    "Blocks",
    "Text\n\n## First\n\nThe start block and the next block.\n\n```sh\n# a block of code\n```\n",
  ),
];
const found = (query: string): readonly string[] =>
  searchManual(manual, query).map(({ page: { name }, heading, line }) => `${name}, ${heading}: ${line}`);

it.each([
  ["backup", ["a, Back up: ", "a, Ports: Make a backup of the ports file."]],
  ["BACK-UP", ["a, Back up: ", "a, Ports: Make a backup of the ports file."]],
  ["start block", ["b, First: The start block and the next block."]],
  ["lock", []],
  ["- .", []],
  ["code", ["b, First: # a block of code"]],
])("a search of the manual finds the sections that have all words at the beginning of words: %s", (query, expected) => {
  expect(found(query)).toEqual(expected);
});

it("a search of the manual shows the part of a long line that has the words", () => {
  const [hit] = searchManual(
    [page("c", "Long", `${"word ".repeat(100)}needle ${"word ".repeat(100)}`)],
    "needle",
  );
  expect(hit?.line).toMatch(/^…(?:word )+needle (?:word ?)+…$/);
  expect(hit?.line.length).toBeLessThan(170);
});
