import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { FastifyInstance, FastifyReply } from "fastify";
import { Problem } from "../problem.js";

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

/** What differs from one query page to the other. */
export interface QueryPageOptions {
  /** The path it asks; its own when left out. */
  readonly endpoint?: string;
  /** What stands there when it is opened for the first time; GraphiQL's own words when left out. */
  readonly query?: string;
  /** The path of the page that tells more of what is asked here. */
  readonly back?: string;
}

/** The page on which queries are written: GraphiQL, from its package, whole. */
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

  /** Adds what the page loads. */
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

  /** They are large: they are read when somebody looks at the page for the first time. */
  #load(): Promise<Assets> {
    this.#assets ??= loadAssets();
    return this.#assets;
  }
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
  const end =
    'const root = document.querySelector("#root"); YogaGraphiQL.renderYogaGraphiQL(root, JSON.parse(root.dataset.options));';
  const script = await add("graphiql", "js", `${begin}\n${js};\n${end}\n`);
  return { script, style: await add("graphiql", "css", css), files };
}

/** A line above GraphiQL, which takes the rest of the window; on a telephone its parts stand one below the other. */
const frame = `
body{margin:0;height:100vh;display:flex;flex-direction:column}
body>nav{padding:.4rem 1rem;font:600 .9rem system-ui,sans-serif;background:#4a45c9}
body>nav a{color:#fff}
#root{flex:1;min-height:0}
#root .graphiql-container{height:100%;width:100%}
@media (max-width:40rem){#root #graphiql-session{flex-direction:column;overflow:auto}#root #graphiql-session>*{flex:1 0 45%!important;min-height:18rem}}
`;

function pageText(title: string, options: string, script: string, style: string, back?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · GraphiQL</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${style}">
<style>${frame}</style>
</head>
<body class="no-focus-outline">
${back === undefined ? "" : `<nav aria-label="Back"><a href="${escaped(back)}">${escaped(title)}</a></nav>`}
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
