import type { FastifyInstance } from "fastify";

/** Makes the routes of a scope read every body as text, for any content type. */
export function acceptTexts(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_, body, done) => done(null, body));
}
