import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyContextConfig, FastifyInstance } from "fastify";
import { foreignFrameStyle, foreignHeader } from "./foreign-frame.js";
import type { Place } from "./frame.js";

/** What a page shows, and where. */
export interface ExplorerOptions {
  /** Path of the page. */
  readonly path: string;
  readonly title: string;
  /** The links of its header, as on the other pages of the server; none if it has no other pages. */
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

/** Adds what the library lacks: names for screen readers. */
const mend = `
document.documentElement.lang = "en";
new MutationObserver(() => {
  for (const title of document.querySelectorAll(".swagger-ui h2.title:not([role])")) {
    title.role = "heading";
    title.ariaLevel = "1";
  }
  for (const title of document.querySelectorAll(".swagger-ui :is(h3.opblock-tag, .models h4):not([role])")) {
    title.role = "heading";
    title.ariaLevel = "2";
  }
  // The button around it opens the operation.
  for (const link of document.querySelectorAll(".swagger-ui button a[href]")) link.removeAttribute("href");
  for (const field of document.querySelectorAll(".swagger-ui :is(input, select, textarea):not([aria-label])")) {
    const row = field.closest("tr")?.querySelector(".parameter__name, td");
    field.setAttribute("aria-label", field.placeholder || row?.textContent || field.closest("label")?.textContent || "Choice");
  }
}).observe(document.documentElement, { childList: true, subtree: true });
`;

/** The header takes the place of the library's bar. The library's colors are too light to be read. */
const look = `${foreignFrameStyle}.swagger-ui .topbar{display:none}
.swagger-ui .opblock .opblock-summary-method{background:#3f4150!important;color:#fff!important}
.swagger-ui .info .title small,.swagger-ui .info .title small.version-stamp{background:#3f4150}
html:not(.dark-mode) .swagger-ui :is(.info .url,.json-schema-2020-12-expand-deep-button,.json-schema-2020-12__constraint,.btn.authorize,.btn.authorize span){color:#3b4151}
html:not(.dark-mode) .swagger-ui .json-schema-2020-12__constraint{background:#fff}
`;

/** Adds a page to browse and try an API. */
export async function addExplorer(
  app: FastifyInstance,
  { path, title, places, config, document }: ExplorerOptions,
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, ...config };
    });
    const body = `${foreignHeader(places, path)}<main id="swagger-ui"></main>`;
    scope.addHook("onSend", async (_, reply, payload) => {
      reply.header("content-security-policy", policy);
      return typeof payload === "string" ? payload.replace('<div id="swagger-ui"></div>', body) : payload;
    });
    await scope.register(swagger, { mode: "static", specification: { document: document() as never } });
    await scope.register(swaggerUi, {
      theme: {
        title,
        css: [{ filename: "graphloom.css", content: look }],
        js: [{ filename: "graphloom.js", content: mend }],
      },
      routePrefix: path,
      uiConfig: { validatorUrl: null as never, persistAuthorization: false, tryItOutEnabled: true },
      transformSpecification: () => document() as never,
      transformSpecificationClone: false,
    });
  });
}
