/**
 * The web framework. The build bundles it into this module, because one of its packages requires a newer Node than we
 * do, and only the root of an installation could narrow that range.
 */
export { default as Fastify, LogController } from "fastify";
