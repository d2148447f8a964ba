import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { bearerOf, callerFor, identify } from "../people/access.js";
import type { Platform } from "../platform.js";

/** Who may read metrics. */
export interface MetricsReaders {
  /** Whether callers without a key may read the metrics that name no deployments. */
  readonly isOpen: boolean;
  /** A separate key that reads all metrics. */
  readonly key?: string;
}

/** What a caller may see: all deployments, those of a project, or only metrics that name none. */
export type MetricsView =
  | { readonly kind: "all" }
  | { readonly kind: "project"; readonly project: string }
  | { readonly kind: "nameless" };

/** What a caller may see. @throws Problem `unauthorized` or `forbidden` if they may see nothing; DatabaseError */
export async function viewOf(
  { database }: Platform,
  { isOpen, key }: MetricsReaders,
  request: FastifyRequest,
): Promise<MetricsView> {
  const sent = bearerOf(request);
  if (key !== undefined && sent !== undefined && isSame(key, sent)) return { kind: "all" };
  if (isOpen && request.headers.authorization === undefined) return { kind: "nameless" };
  const { project } = callerFor(await identify(database, request), request);
  return { kind: "project", project };
}

/** Whether two strings are equal, in constant time. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
