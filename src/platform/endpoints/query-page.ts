import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Problem } from "../http/problem.js";

/** A file of the page. */
interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly zipped: Buffer;
}

/** Those files by their names, which change with what is in them. */
interface Assets {
  readonly script: string;
  readonly style: string;
  readonly files: ReadonlyMap<string, Asset>;
}

const folder = "/graphiql";

/** Nothing comes from anywhere but this server, and nothing goes anywhere else. */
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

/** The page on which queries are written: GraphiQL, from its package, whole. */
export class QueryPage {
  #assets: Promise<Assets> | undefined;

  /**
   * Sends the page.
   * @param title plain text
   * @param endpoint the path it asks; its own when left out
   * @param query what stands there when it is opened for the first time; GraphiQL's own words when left out
   */
  async send(
    reply: FastifyReply,
    title: string,
    { endpoint, query }: { readonly endpoint?: string; readonly query?: string } = {},
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
      .send(pageText(title, JSON.stringify(options), `${folder}/${script}`, `${folder}/${style}`));
  }

  /** Adds what the page loads. */
  addTo(app: FastifyInstance): void {
    app.get<{ Params: { readonly file: string } }>(
      `${folder}/:file`,
      { config: { role: "anyone" } },
      async (request, reply) => {
        const { files } = await this.#load();
        const file = files.get(request.params.file);
        if (!file) throw new Problem("not-found", "The query page has no such file; load it again.");
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

  /** They are large: they are read when somebody looks at the page for the first time. */
  #load(): Promise<Assets> {
    this.#assets ??= loadAssets();
    return this.#assets;
  }
}

async function loadAssets(): Promise<Assets> {
  const { css, editorWorkerService, graphqlWorker, js, jsonWorker } = await import(
    "@graphql-yoga/render-graphiql/graphiql"
  );
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
  const end =
    'const root = document.querySelector("#root"); YogaGraphiQL.renderYogaGraphiQL(root, JSON.parse(root.dataset.options));';
  const script = await add("graphiql", "js", `${begin}\n${js};\n${end}\n`);
  return { script, style: await add("graphiql", "css", css), files };
}

function pageText(title: string, options: string, script: string, style: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
</head>
<body class="no-focus-outline">
<noscript>This page needs JavaScript.</noscript>
<div id="root" data-options="${escaped(options)}"></div>
<script src="${script}" defer></script>
</body>
</html>
`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
