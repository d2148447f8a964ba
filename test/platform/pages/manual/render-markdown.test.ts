import { describe, expect, it } from "vitest";
import { anchorOf, renderMarkdown } from "../../../../src/platform/pages/manual/render-markdown.js";

const render = (markdown: string): string =>
  renderMarkdown(markdown, (file) => (file === "deploy.md" ? "/docs/deploy" : undefined)).body.markup;

describe("a page of the documentation as HTML", () => {
  it("shows HTML as text", () => {
    const page = render(
      "<script>alert(1)</script>\n\nA <img src=x onerror=alert(1)> in a line, `<b>` in code.",
    );
    expect(page).not.toMatch(/<(?:script|img|b)\b/);
    expect(page).toContain("&#60;script&#62;");
    expect(page).toContain("<code>&lt;b&gt;</code>");
  });

  it.each([
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,x",
    "vbscript:x",
    "//elsewhere.example",
  ])("turns a link to %s into text", (address) => {
    expect(render(`[here](${address})`)).toBe("<p>here</p>\n");
  });

  it("links to other pages, with the anchor", () => {
    expect(render("[tags](deploy.md#tags)")).toContain('<a href="/docs/deploy#tags">tags</a>');
    expect(render("[deploy](deploy.md)")).toContain('<a href="/docs/deploy">deploy</a>');
    expect(render("[the map](../src/README.md)")).toBe("<p>the map</p>\n");
  });

  it("keeps links to the web and to places on the same page", () => {
    expect(render("[Node](https://nodejs.org)")).toContain('<a href="https://nodejs.org">Node</a>');
    expect(render("[below](#below)")).toContain('<a href="#below">below</a>');
  });

  it("loads no images from other servers", () => {
    expect(render("![a picture](https://elsewhere.example/a.png)")).toBe("<p>a picture</p>\n");
  });

  it("omits the title, and gives the other headings GitHub's ids", () => {
    const { body, headings } = renderMarkdown(
      "# Deploy\n\n## Two `tags`\n\n## Two `tags`\n",
      () => undefined,
    );
    expect(body.markup).not.toContain("Deploy");
    expect(headings.map(({ id }) => id)).toEqual(["two-tags", "two-tags-1"]);
    expect(body.markup).toContain('<h2 id="two-tags">Two <code>tags</code></h2>');
  });

  it.each([
    ["Options of init", "options-of-init"],
    ["`--rpc`, and nodes", "--rpc-and-nodes"],
    ["What's new?", "whats-new"],
  ])("gives the heading %s the anchor %s", (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor);
  });
});
