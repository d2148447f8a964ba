import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyContextConfig, FastifyInstance } from "fastify";
import { foreignFrameStyle, foreignHead, foreignHeader } from "./foreign-frame.js";
import type { Place } from "./frame.js";
import { assetOf } from "./frame-style.js";
import { html } from "./html.js";

/** The content and location of a page. */
export interface ExplorerOptions {
  /** Path of the page. */
  readonly path: string;
  readonly title: string;
  /** The links of its header, as on the server's other pages; empty if there are no other pages. */
  readonly places: readonly Place[];
  /** The configuration of its routes. */
  readonly config?: FastifyContextConfig;
  /** The OpenAPI document, made for each request: it contains the server's address. */
  document(): object;
}

/** The page may load from and connect to this server only. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** What the page loads besides the library. The library's style has lower precedence than ours. */
const look = `@import url("../swagger-ui.css") layer(library);
${foreignFrameStyle}${assetOf("explorer.css")}`;
const start = assetOf("explorer.js");

function pageOf({ title, places, path }: ExplorerOptions): string {
  const files = `${path}/static`;
  return html`<!doctype html>
<html lang="en">
<head>
${foreignHead}
<title>${title}</title>
<link rel="stylesheet" href="${files}/theme/graphloom.css">
<script src="${files}/swagger-ui-bundle.js" defer></script>
<script src="${files}/theme/graphloom.js" defer></script>
</head>
<body>
${foreignHeader(places, path, "explorer")}
<main id="explorer" tabindex="-1" data-document="${path}/json"><noscript>This page needs JavaScript.</noscript></main>
</body>
</html>
`.markup;
}

/** Adds a page to browse and try an API. */
export async function addExplorer(app: FastifyInstance, options: ExplorerOptions): Promise<void> {
  const { path, config, document } = options;
  const page = pageOf(options);
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, ...config };
    });
    // The library's own page loads more than it needs.
    scope.addHook("onSend", async (request, reply, payload) => {
      reply.header("content-security-policy", policy);
      return request.routeOptions.url?.replace(/\/$/, "") === path ? page : payload;
    });
    await scope.register(swagger, { mode: "static", specification: { document: document() as never } });
    await scope.register(swaggerUi, {
      theme: {
        css: [{ filename: "graphloom.css", content: look }],
        js: [{ filename: "graphloom.js", content: start }],
      },
      routePrefix: path,
      transformSpecification: () => document() as never,
      transformSpecificationClone: false,
    });
  });
}
