import swagger from "@fastify/swagger";
import swaggerUi from "@fastify/swagger-ui";
import type { Routes } from "../http/app.js";
import { openApiOf } from "./openapi.js";
import { apiBase } from "./operations.js";

/** Nothing of the page may come from anywhere else, or go there. */
const policy = [
  "default-src 'self'",
  "img-src 'self' data:",
  "style-src 'self' 'unsafe-inline'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** The description of the API, and a page to look through it and try it. */
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
    // The document has the server's address, which is known when somebody asks.
    await scope.register(swagger, {
      mode: "static",
      specification: { document: openApiOf("", []) as never },
    });
    await scope.register(swaggerUi, {
      theme: { title: "graphloom: management API" },
      routePrefix: `${apiBase}/docs`,
      uiConfig: { validatorUrl: null as never, persistAuthorization: false, tryItOutEnabled: true },
      transformSpecification: () => openApiOf(settings.address(), app.guardedRoutes) as never,
      transformSpecificationClone: false,
    });
  });
};
