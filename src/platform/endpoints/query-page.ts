import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply } from "fastify";
import { foreignFrameStyle, foreignHead, foreignHeader } from "../http/foreign-frame.js";
import { api, docs, subgraphs } from "../http/frame.js";
import { Problem } from "../problem.js";

/** A file of the page. */
interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** The files by name. The names change with the content. */
interface Assets {
  readonly script: string;
  readonly style: string;
  readonly files: ReadonlyMap<string, Asset>;
}

const folder = "/graphiql";

/** The page loads from and connects to this server only. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

export interface QueryPageOptions {
  /** The path that it queries; its own path when absent. */
  readonly endpoint?: string;
  /** The query shown when the page is first opened; GraphiQL's default when absent. */
  readonly query?: string;
  /** The page about the queried subgraph, and the others about it. */
  readonly back?: QueryPageLinks;
}

/** The pages around a query page. */
export interface QueryPageLinks {
  readonly path: string;
  readonly tabs: readonly QueryPageTab[];
}

/** A page about a subgraph. */
export interface QueryPageTab {
  readonly name: string;
  readonly path: string;
  /** Whether the query page is shown here. */
  readonly isShown: boolean;
}

/** The page for writing queries: the complete GraphiQL from its package. */
export class QueryPage {
  #assets: Promise<Assets> | undefined;

  /**
   * Sends the page.
   * @param title plain text
   */
  async send(
    reply: FastifyReply,
    title: string,
    { endpoint, query, back }: QueryPageOptions = {},
  ): Promise<FastifyReply> {
    const { script, style } = await this.#load();
    const options = {
      title: "GraphiQL",
      ...(endpoint !== undefined && { endpoint: encodeURI(endpoint) }),
      ...(query !== undefined && { defaultQuery: query }),
    };
    return reply
      .headers({ "content-security-policy": policy, "x-content-type-options": "nosniff" })
      .header("referrer-policy", "no-referrer")
      .type("text/html; charset=utf-8")
      .send(pageText(title, JSON.stringify(options), `${folder}/${script}`, `${folder}/${style}`, back));
  }

  /** Adds the routes of the files that the page loads. */
  addTo(app: FastifyInstance): void {
    app.get<{ Params: { readonly file: string } }>(
      `${folder}/:file`,
      { config: { role: "anyone", isAsset: true } },
      async (request, reply) => {
        const { files } = await this.#load();
        const file = files.get(request.params.file);
        if (!file) throw new Problem("not-found", "The query page has no such file. Reload the page.");
        const isZipped = /\bgzip\b/.test(request.headers["accept-encoding"] ?? "");
        if (isZipped) reply.header("content-encoding", "gzip");
        return reply
          .headers({ "cache-control": "public, max-age=31536000, immutable", vary: "accept-encoding" })
          .header("x-content-type-options", "nosniff")
          .type(file.type)
          .send(isZipped ? file.zipped : file.plain);
      },
    );
  }

  /** The files are large, so they are read when the page is first opened. */
  #load(): Promise<Assets> {
    this.#assets ??= loadAssets();
    return this.#assets;
  }
}

function ownAsset(name: string): string {
  return readFileSync(new URL(`./assets/${name}`, import.meta.url), "utf8");
}

async function loadAssets(): Promise<Assets> {
  const { css, editorWorkerService, graphqlWorker, js, jsonWorker } = await import("./graphiql.js");
  const files = new Map<string, Asset>();
  const add = async (name: string, ending: string, text: string): Promise<string> => {
    const plain = Buffer.from(text);
    const hash = createHash("sha256").update(plain).digest("hex").slice(0, 16);
    const type = ending === "css" ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8";
    const file = `${name}-${hash}.${ending}`;
    files.set(file, { type, plain, zipped: await promisify(gzip)(plain) });
    return file;
  };
  const workers = {
    editorWorkerService: `${folder}/${await add("editor", "js", editorWorkerService)}`,
    json: `${folder}/${await add("json", "js", jsonWorker)}`,
    graphql: `${folder}/${await add("graphql", "js", graphqlWorker)}`,
  };
  const begin = `self.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_, label) => (${JSON.stringify(workers)})[label] };`;
  const parts = ["query-colors.js", "query-bar.js"].map((name) => `{${ownAsset(name)}}`);
  const end =
    'const root = document.querySelector("#root"); YogaGraphiQL.renderYogaGraphiQL(root, startQueryBar(JSON.parse(root.dataset.options)));';
  const script = await add("graphiql", "js", `${begin}\n${js};\n${parts.join("\n")}\n${end}\n`);
  return { script, style: await add("graphiql", "css", css), files };
}

/** The frame around GraphiQL. */
const frame = foreignFrameStyle + ownAsset("query-page.css");

function pageText(
  title: string,
  options: string,
  script: string,
  style: string,
  back?: QueryPageLinks,
): string {
  return `<!doctype html>
<html lang="en">
<head>
${foreignHead.markup}
<title>${escaped(title)} · GraphiQL</title>
<style>@import url("${style}") layer(library);</style>
<style>${frame}</style>
</head>
<body class="no-focus-outline">
${foreignHeader([subgraphs, docs, api], back?.path ?? "", "root").markup}
<section class="bar" aria-label="Query"><h1 class="heard">Query ${escaped(title)}</h1>
${back === undefined ? "" : linksText(title, back)}
<output data-outcome></output>
<button type="button" data-copy-link hidden>Copy link</button></section>
<main id="root" data-options="${escaped(options)}"><noscript>This page needs JavaScript.</noscript></main>
<script src="${script}" defer></script>
</body>
</html>
`;
}

function linksText(title: string, { path, tabs }: QueryPageLinks): string {
  const link = ({ name, path: address, isShown }: QueryPageTab): string =>
    `<a href="${escaped(address)}"${isShown ? ' aria-current="page"' : ""}>${escaped(name)}</a>`;
  const links = [{ name: title, path, isShown: false }, ...tabs].map(link);
  return `<nav aria-label="Subgraph">${links.join("\n")}</nav>`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
