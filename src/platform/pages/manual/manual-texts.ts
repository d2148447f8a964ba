import { type ManualPage, partsOf, summaryOf } from "../../../base/manual.js";
import { apiBase } from "../../http/add-route.js";

const about =
  "graphloom turns one JSON file into a running subgraph: it checks the file, generates and compiles the subgraph, " +
  "indexes it, and answers GraphQL queries. This server runs subgraphs and pipelines for its projects.";

/**
 * The documentation's contents for language models, in the form of https://llmstxt.org: a title, a summary, and lists of
 * links. Addresses are relative to the server.
 */
export function contentsText(manual: readonly ManualPage[]): string {
  const parts = partsOf(manual).map(
    ({ title, pages }) =>
      `## ${title}\n\n${pages.map((page) => linkTo(page.title, markdownAddress(page.name), summaryOf(page))).join("\n")}`,
  );
  return `# graphloom

> ${about}

Every page of the manual is Markdown at the addresses below. A page's usual address, such as \`/docs/serve\`, leads there for requests with \`Accept: text/markdown\`. \`/docs?q=<words>\` searches the manual.

${parts.length > 0 ? parts.join("\n\n") : "This server does not include the documentation."}

## For programs

${linkTo("The management API", `${apiBase}/openapi.json`, "OpenAPI document: subgraphs, pipelines, webhooks, secrets and projects")}
${linkTo("Contents as JSON", "/docs.json", "the pages above with their names and addresses")}

## Optional

${linkTo("The whole manual", "/llms-full.txt", "all pages in one text")}
`;
}

/** All pages in reading order, with links that work in one text. */
export function wholeText(manual: readonly ManualPage[]): string {
  const names = new Set(manual.map(({ name }) => name));
  const pages = manual.map(({ name, markdown }) => {
    const linked = markdown.replaceAll(/\]\(([\w-]+)\.md(?=[)#])/g, (link, target: string) =>
      names.has(target) ? `](${markdownAddress(target)}` : link,
    );
    return `<!-- ${markdownAddress(name)} -->\n\n${linked.trimEnd()}\n`;
  });
  return pages.join("\n");
}

/** The address of a page's Markdown source. */
export function markdownAddress(name: string): string {
  return `/docs/${name}.md`;
}

function linkTo(title: string, address: string, description: string): string {
  return `- [${title}](${address})${description === "" ? "" : `: ${description}`}`;
}
