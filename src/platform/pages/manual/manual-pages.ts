import type { ManualPage } from "../../../base/manual.js";
import { type Html, html } from "../../http/html.js";
import { NotHere } from "../not-here.js";
import type { Content, PageScope } from "../page-scope.js";

const root = ["Documentation", "/docs"] as const;

/** Adds the documentation that comes with the program, for everybody: the contents, and a page for each topic. */
export function addManualPages(pages: PageScope, manual: readonly ManualPage[]): void {
  const rendered = new Map<string, Content>();
  pages.open("/docs", async () => ({ title: "Documentation", body: contentsOf(manual) }));
  pages.open("/docs/:name", async ({ path: { name = "" } }) => {
    const page = manual.find((each) => each.name === name);
    if (!page) {
      throw new NotHere(
        `The documentation has no page "${name}".`,
        manual.map((each) => [each.title, addressOf(each)]),
      );
    }
    const known = rendered.get(name) ?? (await contentOf(page, manual));
    rendered.set(name, known);
    return known;
  });
}

/** The Markdown renderer is loaded for the first reader. */
async function contentOf({ title, markdown }: ManualPage, manual: readonly ManualPage[]): Promise<Content> {
  const { renderMarkdown } = await import("./render-markdown.js");
  const { body, headings } = renderMarkdown(markdown, (file) => {
    const found = manual.find(({ name }) => `${name}.md` === file);
    return found && addressOf(found);
  });
  const sections = headings.filter(({ depth }) => depth === 2);
  const list = sections.map(({ id, text }) => html`<li><a href="#${id}">${text}</a></li>`);
  return {
    title,
    trail: [root],
    body: html`${list.length > 1 && html`<nav aria-label="On this page"><ul class="columns">${list}</ul></nav>`}
<article class="manual">${body}</article>`,
  };
}

function contentsOf(manual: readonly ManualPage[]): Html {
  if (manual.length === 0) return html`<p>This server does not include the documentation.</p>`;
  const list = manual.map((page) => html`<li><a href="${addressOf(page)}">${page.title}</a></li>`);
  return html`<ul class="columns">${list}</ul>`;
}

function addressOf({ name }: ManualPage): string {
  return `/docs/${name}`;
}
