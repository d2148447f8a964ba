import type { FastifyRequest } from "fastify";

/** Whether a browser opens an address, and so wants a page rather than data. */
export function wantsPage({ method, headers }: Pick<FastifyRequest, "method" | "headers">): boolean {
  return (method === "GET" || method === "HEAD") && /\btext\/html\b/i.test(headers.accept ?? "");
}

/** Whether a program asks for JSON and does not accept a page instead. */
export function wantsJson({ headers: { accept = "" } }: Pick<FastifyRequest, "headers">): boolean {
  return /\bjson\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
}

/**
 * Whether a program asks for Markdown, and likes no page better. Language models' clients name both, and browsers never
 * name Markdown.
 */
export function wantsMarkdown({ headers: { accept = "" } }: Pick<FastifyRequest, "headers">): boolean {
  const markdown = weightOf("text/markdown", accept);
  return markdown > 0 && markdown >= weightOf("text/html", accept);
}

/** The weight of a type that a request names, between 0 and 1. Patterns such as `text/*` name none. */
function weightOf(type: string, accept: string): number {
  for (const part of accept.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((word) => word.trim().toLowerCase());
    if (name !== type) continue;
    const weight = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? "1";
    return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0;
  }
  return 0;
}
