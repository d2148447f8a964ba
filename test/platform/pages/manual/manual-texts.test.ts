import { describe, expect, it } from "vitest";
import { contentsText, wholeText } from "../../../../src/platform/pages/manual/manual-texts.js";

const page = (name: string, text: string, part = "Start") => ({
  name,
  title: `About ${name}`,
  part,
  markdown: `# About ${name}\n\n${text}\n`,
});

describe("the contents for language models", () => {
  const lineOf = (text: string): string | undefined =>
    contentsText([page("a", text)])
      .split("\n")
      .find((line) => line.startsWith("- [About a]"));

  it("say what a page is about in its own first sentences, without links", () => {
    expect(lineOf("`a` reads [pages](b.md#c). It writes none.\n\nMore.")).toBe(
      "- [About a](/docs/a.md): `a` reads pages. It writes none.",
    );
    expect(lineOf("It does three things:\n\n- one")).toBe("- [About a](/docs/a.md): It does three things.");
  });

  it("end a long summary after a word", () => {
    const line = lineOf("word ".repeat(200)) ?? "";
    expect(line).toMatch(/ word…$/);
    expect(line.length).toBeLessThan(340);
  });

  it.each([
    ["## A section"],
    ["- a list"],
    ["| a | table |"],
    ["```sh\ncode\n```"],
    ["> a quotation"],
    ["<b>markup</b>"],
  ])("have no summary of a page that begins with %j", (text) =>
    expect(lineOf(text)).toBe("- [About a](/docs/a.md)"));

  it("have a section for each part of the manual", () => {
    const text = contentsText([page("a", "One."), page("b", "Two.", "Later"), page("c", "Three.", "Later")]);
    expect(text).toContain(`## Start

- [About a](/docs/a.md): One.

## Later

- [About b](/docs/b.md): Two.
- [About c](/docs/c.md): Three.
`);
  });

  it("say so if the server has no documentation", () => {
    expect(contentsText([])).toContain("This server does not include the documentation.");
  });
});

it("the manual in one text has the addresses of its pages in links, and leaves other links alone", () => {
  const text = wholeText([
    page("a", "See [b](b.md), [its part](b.md#part), [another](c.md) and [a file](../examples/b.md)."),
    page("b", "Text."),
  ]);
  expect(text).toBe(`<!-- /docs/a.md -->

# About a

See [b](/docs/b.md), [its part](/docs/b.md#part), [another](c.md) and [a file](../examples/b.md).

<!-- /docs/b.md -->

# About b

Text.
`);
});
