import type { FastifyBaseLogger } from "fastify";
import { hearFailures } from "../base/failures.js";

/** Logs failures of a server that are not reported elsewhere. @returns a function that stops this */
export function logFailures(logger: Pick<FastifyBaseLogger, "error"> | undefined): () => void {
  if (!logger) return () => undefined;
  return hearFailures((stack) => logger.error({ err: { stack } }, "unexpected failure"));
}
