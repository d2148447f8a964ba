import { type ManualPage, partsOf } from "../base/manual.js";
import { searchManual } from "../base/search-manual.js";
import { suggest } from "../base/text/suggest.js";
import { visible } from "../base/text/visible.js";
import { type Tool, ToolRefusal } from "./tool.js";

/** The most sections that a search shows. */
const mostHits = 15;

/** The tool that reads and searches the manual. */
export function manualTool(manual: readonly ManualPage[]): Tool {
  const names = manual.map(({ name }) => name);
  return {
    name: "docs",
    title: "Read the manual",
    describe:
      "Reads graphloom's manual: a page by its name, or the sections that have some words. Without arguments, it lists all pages.",
    input: {
      type: "object",
      properties: {
        page: { type: "string", maxLength: 100, description: "name of a page, such as configuration" },
        search: { type: "string", maxLength: 200, description: "words that a section must have" },
      },
      additionalProperties: false,
    },
    changes: false,
    isRemote: false,
    async run({ page, search }) {
      if (typeof page === "string") {
        const found = manual.find(({ name }) => name === page);
        if (found) return { kind: "own", text: found.markdown };
        const near = suggest(page, names);
        throw new ToolRefusal(
          `The manual has no page "${visible(page)}"${near.length > 0 ? `; did you mean ${near.join(" or ")}?` : `. It has ${names.join(", ")}.`}`,
        );
      }
      if (typeof search === "string") return { kind: "own", text: hitsOf(manual, search) };
      const parts = partsOf(manual).map(
        ({ title, pages }) => `${title}\n${pages.map((each) => `- ${each.name}: ${each.title}\n`).join("")}`,
      );
      return { kind: "own", text: parts.join("\n") };
    },
  };
}

function hitsOf(manual: readonly ManualPage[], search: string): string {
  const hits = searchManual(manual, search);
  if (hits.length === 0)
    return `No page has these words. Pages: ${manual.map(({ name }) => name).join(", ")}.`;
  return hits
    .slice(0, mostHits)
    .map(
      ({ page, heading, line }) =>
        `page ${page.name}, section ${heading}\n${line === "" ? "" : `    ${line}\n`}`,
    )
    .join("");
}
