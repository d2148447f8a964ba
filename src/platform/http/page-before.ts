import type { FastifyRequest } from "fastify";

/** The path of the page of this server that a browser comes from, if it says so. */
export function pageBefore({ headers: { referer }, host }: FastifyRequest): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const before = new URL(referer);
  // Two slashes would lead to another server.
  return before.host === host && !before.pathname.startsWith("//")
    ? before.pathname + before.search
    : undefined;
}
