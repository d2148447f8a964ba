import type { FastifyInstance, FastifyReply } from "fastify";
import type { ManualPage } from "../../../base/manual.js";
import { type Html, html } from "../../http/html.js";
import { NotHere } from "../not-here.js";
import type { Content, PageScope } from "../page-scope.js";

const root = ["Documentation", "/docs"] as const;

/**
 * Adds the documentation that comes with the program, for everybody: the contents, and a page for each topic. Programs get
 * both as JSON, with the Markdown that a page is made of.
 */
export function addManualPages(app: FastifyInstance, pages: PageScope, manual: readonly ManualPage[]): void {
  const rendered = new Map<string, Content>();
  const pageOf = (name: string): ManualPage => {
    const page = manual.find((each) => each.name === name);
    if (page) return page;
    throw new NotHere(
      `The documentation has no page "${name}".`,
      manual.map((each) => [each.title, addressOf(each)]),
    );
  };
  const config = { role: "anyone", isLinked: true } as const;
  app.get("/docs.json", { config }, (_, reply) => sendJson(reply, manual.map(shownPage)));
  app.get<{ Params: { name: string } }>("/docs/:name.json", { config }, ({ params }, reply) => {
    const page = pageOf(params.name);
    return sendJson(reply, { ...shownPage(page), markdown: page.markdown });
  });
  pages.open("/docs", async () => ({ title: "Documentation", body: contentsOf(manual) }));
  pages.open("/docs/:name", async ({ path: { name = "" } }) => {
    const page = pageOf(name);
    const known = rendered.get(name) ?? (await contentOf(page, manual));
    rendered.set(name, known);
    return known;
  });
}

/** A page as the list of pages shows it to programs. */
function shownPage(page: ManualPage) {
  const address = addressOf(page);
  return { name: page.name, title: page.title, page: address, json: `${address}.json` };
}

function sendJson(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.headers({ "x-content-type-options": "nosniff", "cache-control": "no-store" }).send({ data });
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
