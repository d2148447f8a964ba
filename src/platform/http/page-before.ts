import type { FastifyRequest } from "fastify";

/** The path of the previous page of this server, if the browser reports it. */
export function pageBefore({ headers: { referer }, host }: FastifyRequest): string | undefined {
  if (referer === undefined || !URL.canParse(referer)) return undefined;
  const before = new URL(referer);
  // Two slashes would lead to another server.
  return before.host === host && !before.pathname.startsWith("//")
    ? before.pathname + before.search
    : undefined;
}
