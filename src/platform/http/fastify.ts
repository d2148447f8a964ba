/**
 * The web framework. The build puts it into this module: one of its packages declares a newer Node than ours in ranges that
 * only the root of an installation could narrow.
 */
export { default as Fastify, LogController } from "fastify";
