import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { FastifyContextConfig, FastifyInstance } from "fastify";

/** What a page shows, and where. */
export interface ExplorerOptions {
  /** Path of the page. */
  readonly path: string;
  readonly title: string;
  /** Where the logo leads, and its name for screen readers. */
  readonly back: { readonly href: string; readonly label: string };
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

/** The logo that replaces the library's and links back. */
const mark = {
  type: "image/svg+xml",
  content: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="150" height="32"><g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round"><path d="M5 8h22M5 16h22M5 24h22M10 4v8M10 20v8M22 12v8"/></g><text x="38" y="22" font-family="system-ui,sans-serif" font-size="18" font-weight="700" fill="#fff">graphloom</text></svg>',
  ),
} as const;

/** Adds what the library lacks: a logo that links back, and names for screen readers. */
function mend({ href, label }: ExplorerOptions["back"]): string {
  return `
document.documentElement.lang = "en";
new MutationObserver(() => {
  for (const link of document.querySelectorAll(".topbar a.link")) {
    link.href = ${JSON.stringify(href)};
    link.querySelector("img")?.setAttribute("alt", ${JSON.stringify(label)});
  }
  for (const field of document.querySelectorAll(".swagger-ui :is(input, select, textarea):not([aria-label])")) {
    const row = field.closest("tr")?.querySelector(".parameter__name, td");
    field.setAttribute("aria-label", field.placeholder || row?.textContent || field.closest("label")?.textContent || "Choice");
  }
}).observe(document.documentElement, { childList: true, subtree: true });
`;
}
const look = ".swagger-ui .topbar{background:#4a45c9}";

/** Adds a page to browse and try an API. */
export async function addExplorer(
  app: FastifyInstance,
  { path, title, back, config, document }: ExplorerOptions,
): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, ...config };
    });
    scope.addHook("onSend", async (_, reply) => void reply.header("content-security-policy", policy));
    await scope.register(swagger, { mode: "static", specification: { document: document() as never } });
    await scope.register(swaggerUi, {
      theme: {
        title,
        css: [{ filename: "graphloom.css", content: look }],
        js: [{ filename: "graphloom.js", content: mend(back) }],
      },
      logo: { ...mark, href: back.href, target: "_self" },
      routePrefix: path,
      uiConfig: { validatorUrl: null as never, persistAuthorization: false, tryItOutEnabled: true },
      transformSpecification: () => document() as never,
      transformSpecificationClone: false,
    });
  });
}
