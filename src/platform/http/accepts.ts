import type { FastifyRequest } from "fastify";

/** Whether a browser opens an address, and so wants a page rather than data. */
export function wantsPage({ method, headers }: Pick<FastifyRequest, "method" | "headers">): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}

/** Whether a program asks for JSON and does not accept a page instead. */
export function wantsJson({ headers: { accept = "" } }: Pick<FastifyRequest, "headers">): boolean {
  return /\bjson\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}
