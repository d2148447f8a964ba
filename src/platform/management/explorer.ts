import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import { apiBase } from "../http/add-route.js";
import type { Routes } from "../http/app.js";
import { openApiOf } from "./openapi.js";

/** The page may load from and connect to this server only. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The logo that replaces the library's and links back to the dashboard. */
const mark = {
  type: "image/svg+xml",
  content: Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="130" height="24"><text y="18" font-family="system-ui,sans-serif" font-size="18" font-weight="700" fill="#fff">‹ graphloom</text></svg>',
  ),
} as const;
/** Adds what the library lacks: a logo that links back, and names for screen readers. */
const mend = `
document.documentElement.lang = "en";
new MutationObserver(() => {
  for (const link of document.querySelectorAll(".topbar a.link")) {
    link.href = "/";
    link.querySelector("img")?.setAttribute("alt", "Back to the dashboard");
  }
  for (const field of document.querySelectorAll(".swagger-ui :is(input, select, textarea):not([aria-label])")) {
    const row = field.closest("tr")?.querySelector(".parameter__name, td");
    field.setAttribute("aria-label", field.placeholder || row?.textContent || field.closest("label")?.textContent || "Choice");
  }
}).observe(document.documentElement, { childList: true, subtree: true });
`;
const look = ".swagger-ui .topbar{background:#4a45c9}";

/** The OpenAPI document, and a page to browse and try the API. */
export const explorer: Routes = async (app, { settings }) => {
  const config = { role: "anyone" } as const;
  app.get(`${apiBase}/openapi.json`, { config }, async () =>
    openApiOf(settings.address(), app.guardedRoutes),
  );
  await app.register(async (scope) => {
    scope.addHook("onRoute", (route) => {
      route.config = { ...route.config, ...config };
    });
    scope.addHook("onSend", async (_, reply) => void reply.header("content-security-policy", policy));
    // The document contains the server's address, which is known only when a request arrives.
    await scope.register(swagger, {
      mode: "static",
      specification: { document: openApiOf("", []) as never },
    });
    await scope.register(swaggerUi, {
      theme: {
        title: "graphloom: management API",
        css: [{ filename: "graphloom.css", content: look }],
        js: [{ filename: "graphloom.js", content: mend }],
      },
      logo: { ...mark, href: "/", target: "_self" },
      routePrefix: `${apiBase}/docs`,
      uiConfig: { validatorUrl: null as never, persistAuthorization: false, tryItOutEnabled: true },
      transformSpecification: () => openApiOf(settings.address(), app.guardedRoutes) as never,
      transformSpecificationClone: false,
    });
  });
};
