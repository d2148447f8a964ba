import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readManual } from "../../../src/machine/manual.js";
import { onEither } from "../../support/database/databases.js";
import { startPages } from "./harness.js";

const databases = onEither();
const manual = readManual();
let pages: Awaited<ReturnType<typeof startPages>>;
beforeAll(async () => {
  pages = await startPages(await databases.fresh(), { manual });
});
afterAll(() => pages.stop());

const ask = (path: string): Promise<Response> => fetch(pages.address + path, { redirect: "manual" });

/** A page as programs find it in the list. */
type Listed = Readonly<Record<"name" | "title" | "page" | "json" | "markdown_file", string>>;

describe("the documentation on the server's pages", () => {
  it("lists every page without a sign-in", async () => {
    const contents = await (await ask("/docs")).text();
    expect(manual.length).toBeGreaterThan(10);
    for (const { name, title, part } of manual) {
      expect(contents).toContain(`<a href="/docs/${name}">${title}</a>`);
      expect(contents).toContain(`<h2>${part}</h2>`);
    }
  });

  it("finds the sections that have some words, each with a link to it", async () => {
    const found = await (await ask("/docs?q=backup")).text();
    const [, href = ""] = /<li><a href="(\/docs\/serve#[^"]+)">/.exec(found) ?? [];
    const [path = "", id] = href.split("#");
    expect(await (await ask(path)).text()).toContain(`id="${id}"`);
    const none = await (await ask("/docs?q=%3Cxylophone")).text();
    expect(none).toContain("No page has these words.");
    expect(none).toContain('value="&#60;xylophone"');
  });

  it.each(manual)("shows $name, and every link on it works", async ({ name }) => {
    const answer = await ask(`/docs/${name}`);
    const page = await answer.text();
    expect(answer.status).toBe(200);
    expect(page).not.toMatch(/<(?:script|link|img)[^>]+(?:src|href)="(?:https?:)?\/\//);
    const links = [...page.matchAll(/href="(\/docs\/[^"]+|#[^"]+)"/g)].map(([, href = ""]) => href);
    const pagesById = new Map([[name, page]]);
    for (const link of links) {
      const [path = "", anchor] = link.split("#");
      const target = path === "" ? name : path.slice("/docs/".length);
      const text = pagesById.get(target) ?? (await (await ask(`/docs/${target}`)).text());
      pagesById.set(target, text);
      expect(text, link).toContain(anchor === undefined ? "<article" : `id="${anchor}"`);
    }
  });

  it("is JSON for programs without a sign-in: the list of its pages, and the Markdown of each", async () => {
    const get = async (path: string, accept = "application/json") => {
      const answer = await fetch(pages.address + path, { headers: { accept } });
      const body = (await answer.json()) as { readonly data: readonly Listed[]; readonly detail?: string };
      return { status: answer.status, type: answer.headers.get("content-type"), body };
    };
    const json = "application/json; charset=utf-8";
    const list = await get("/docs");
    expect(list).toEqual({ status: 200, type: json, body: { data: expect.any(Array) } });
    expect(list.body.data.map(({ name, title }) => [name, title])).toEqual(
      manual.map(({ name, title }) => [name, title]),
    );
    for (const { page, json: file, markdown_file, ...named } of list.body.data) {
      expect((await ask(page)).status).toBe(200);
      const markdown = manual.find(({ name }) => name === named.name)?.markdown;
      // The address of the page leads there, too.
      for (const address of [page, file])
        expect(await get(address)).toEqual({
          status: 200,
          type: json,
          body: { data: { ...named, page, json: file, markdown_file, markdown } },
        });
    }
    const { status, type, body } = await get("/docs/nothing.json", "*/*");
    expect([status, type, body.detail]).toEqual([
      404,
      "application/problem+json; charset=utf-8",
      'The documentation has no page "nothing".',
    ]);
  });

  it("is Markdown for programs without a sign-in, at an address of each page and at the page's own", async () => {
    const get = async (path: string, accept: string) => {
      const answer = await fetch(pages.address + path, { headers: { accept } });
      return { status: answer.status, type: answer.headers.get("content-type"), text: await answer.text() };
    };
    // What clients of language models send.
    const accepted = [
      "text/markdown",
      "text/markdown, text/html, */*",
      "text/html;q=0.8, text/markdown;q=0.9",
    ];
    for (const { name, markdown } of manual) {
      const whole = { status: 200, type: "text/markdown; charset=utf-8", text: markdown };
      expect(await get(`/docs/${name}.md`, "*/*")).toEqual(whole);
      for (const accept of accepted) expect(await get(`/docs/${name}`, accept)).toEqual(whole);
    }
    const html = "text/html; charset=utf-8";
    for (const accept of [
      "text/html",
      "*/*",
      "text/*",
      "text/html, text/markdown;q=0.5",
      "text/markdown;q=0",
    ])
      expect([accept, (await get("/docs/serve", accept)).type]).toEqual([accept, html]);
    expect((await ask("/docs/serve")).headers.get("link")).toBe(
      '</docs/serve.md>; rel="alternate"; type="text/markdown"',
    );
    const { status, text } = await get("/docs/nothing.md", "text/markdown");
    expect([status, JSON.parse(text).detail]).toEqual([404, 'The documentation has no page "nothing".']);
  });

  it("has its contents and all of its pages as texts for language models, whose links all work", async () => {
    const contents = await ask("/llms.txt");
    expect([contents.status, contents.headers.get("content-type")]).toEqual([
      200,
      "text/plain; charset=utf-8",
    ]);
    const text = await contents.text();
    expect(text).toMatch(/^# graphloom\n\n> [^\n]+\n\n/);
    const links = [...text.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)(?:: (.+))?$/gm)];
    expect(links.filter(([, , address]) => address?.startsWith("/docs/")).map(([, title]) => title)).toEqual(
      manual.map(({ title }) => title),
    );
    // Two pages begin with a section instead of a summary.
    expect(links.filter(([, , , summary]) => summary === undefined).length).toBeLessThan(3);
    expect(links.filter(([, , , summary = ""]) => summary.includes("]("))).toEqual([]);
    for (const [, , address = ""] of links) {
      // The API is not on this server, which has pages only.
      if (!address.startsWith("/api/"))
        expect([address, (await ask(address)).status]).toEqual([address, 200]);
    }
    const asked = await fetch(`${pages.address}/docs`, { headers: { accept: "text/markdown" } });
    expect(await asked.text()).toBe(text);

    const whole = await (await ask("/llms-full.txt")).text();
    for (const { title } of manual) expect(whole).toContain(`\n# ${title}\n`);
    const inside = [...whole.matchAll(/\]\((\/docs\/[\w-]+\.md)/g)].map(([, address = ""]) => address);
    expect(inside.length).toBeGreaterThan(100);
    for (const address of new Set(inside))
      expect([address, (await ask(address)).status]).toEqual([address, 200]);
    expect(whole).not.toMatch(/\]\([\w-]+\.md/);
  });

  it("lists its pages on the page for an unknown one", async () => {
    const answer = await ask("/docs/nothing");
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('<a href="/docs/getting-started">');
  });

  it("is linked from the sign-in page", async () => {
    expect(await (await ask("/sign-in")).text()).toContain('<a href="/docs">');
  });
});
