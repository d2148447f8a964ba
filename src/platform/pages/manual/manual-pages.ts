import type { FastifyInstance, FastifyReply } from "fastify";
import { descriptionOf, type ManualPage, partsOf } from "../../../base/manual.js";
import { searchManual } from "../../../base/search-manual.js";
import { type Html, html } from "../../http/html.js";
import { NotHere } from "../not-here.js";
import type { Content, PageScope } from "../page-scope.js";
import { contentsText, markdownAddress, wholeText } from "./manual-texts.js";

const root = ["Documentation", "/docs"] as const;

/**
 * Adds the program's documentation, for everyone: the contents, and a page for each topic. Programs get both as JSON,
 * with a page's Markdown source, and as Markdown.
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
  app.get<{ Params: { name: string } }>("/docs/:name.md", { config }, ({ params }, reply) =>
    sendText(reply, "text/markdown", pageOf(params.name).markdown),
  );
  app.get("/llms.txt", { config }, (_, reply) => sendText(reply, "text/plain", contentsText(manual)));
  let whole: string | undefined;
  app.get("/llms-full.txt", { config }, (_, reply) => {
    whole ??= wholeText(manual);
    return sendText(reply, "text/plain", whole);
  });
  pages.open("/docs", async ({ query }) => {
    const asked = (query.get("q") ?? "").trim().slice(0, longestSearch);
    return {
      title: "Documentation",
      body: html`${searchForm(asked)}${asked === "" ? contentsOf(manual) : await hitsOf(asked, manual)}`,
    };
  });
  pages.open("/docs/:name", async ({ path: { name = "" }, reply }) => {
    const page = pageOf(name);
    reply.header("link", `<${markdownAddress(page.name)}>; rel="alternate"; type="text/markdown"`);
    const known = rendered.get(name) ?? (await contentOf(page, manual));
    rendered.set(name, known);
    return known;
  });
}

/** A page as the list of pages shows it to programs. */
function shownPage(page: ManualPage) {
  const address = addressOf(page);
  const files = { json: `${address}.json`, markdown_file: markdownAddress(page.name) };
  return { name: page.name, title: page.title, part: page.part, page: address, ...files };
}

const fileHeaders = { "x-content-type-options": "nosniff", "cache-control": "no-store" };

function sendJson(reply: FastifyReply, data: unknown): FastifyReply {
  return reply.headers(fileHeaders).send({ data });
}

function sendText(reply: FastifyReply, type: "text/markdown" | "text/plain", text: string): FastifyReply {
  return reply.headers(fileHeaders).type(`${type}; charset=utf-8`).send(text);
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

/** Characters of a search. */
const longestSearch = 200;
/** The most sections that a search shows. */
const mostHits = 30;

function searchForm(asked: string): Html {
  return html`<form method="get" action="/docs" role="search"><label>Search <input type="search" name="q" value="${asked}" maxlength="${longestSearch}"></label> <button>Search</button></form>`;
}

async function hitsOf(asked: string, manual: readonly ManualPage[]): Promise<Html> {
  const hits = searchManual(manual, asked).slice(0, mostHits);
  if (hits.length === 0) return html`<p>No page has these words. <a href="/docs">All pages</a></p>`;
  const { anchorOf } = await import("./render-markdown.js");
  const list = hits.map(({ page, heading, line }) => {
    const isWhole = heading === page.title;
    const address = isWhole ? addressOf(page) : `${addressOf(page)}#${anchorOf(heading)}`;
    const name = isWhole ? page.title : `${page.title}: ${heading}`;
    return html`<li><a href="${address}">${name}</a><br>${line}</li>`;
  });
  return html`<ul>${list}</ul>`;
}

function contentsOf(manual: readonly ManualPage[]): Html {
  if (manual.length === 0) return html`<p>This server does not include the documentation.</p>`;
  return html`${partsOf(manual).map(({ title, pages }) => {
    const list = pages.map(
      (page) => html`<li><a href="${addressOf(page)}">${page.title}</a><br>${descriptionOf(page)}</li>`,
    );
    return html`<h2>${title}</h2><ul class="columns">${list}</ul>`;
  })}`;
}

function addressOf({ name }: ManualPage): string {
  return `/docs/${name}`;
}
