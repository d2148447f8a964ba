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
type Listed = Readonly<Record<"name" | "title" | "page" | "json", string>>;

describe("the documentation on the server's pages", () => {
  it("lists every page without a sign-in", async () => {
    const contents = await (await ask("/docs")).text();
    expect(manual.length).toBeGreaterThan(10);
    for (const { name, title } of manual) {
      expect(contents).toContain(`<a href="/docs/${name}">${title}</a>`);
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
    for (const { page, json: file, ...named } of list.body.data) {
      expect((await ask(page)).status).toBe(200);
      const markdown = manual.find(({ name }) => name === named.name)?.markdown;
      // The address of the page leads there, too.
      for (const address of [page, file])
        expect(await get(address)).toEqual({
          status: 200,
          type: json,
          body: { data: { ...named, page, json: file, markdown } },
        });
    }
    const { status, type, body } = await get("/docs/nothing.json", "*/*");
    expect([status, type, body.detail]).toEqual([
      404,
      "application/problem+json; charset=utf-8",
      'The documentation has no page "nothing".',
    ]);
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
