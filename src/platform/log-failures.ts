import type { FastifyBaseLogger } from "fastify";
import { hearFailures } from "../base/failures.js";

/** Writes failures that nothing else tells into a server's log. @returns stops it */
export function logFailures(logger: Pick<FastifyBaseLogger, "error"> | undefined): () => void {
  if (!logger) return () => undefined;
  return hearFailures((stack) => logger.error({ err: { stack } }, "unexpected failure"));
}
