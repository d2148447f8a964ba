import { createHash, timingSafeEqual } from "node:crypto";
import type { FastifyRequest } from "fastify";
import { bearerOf, callerFor, identify } from "../people/access.js";
import type { Platform } from "../platform.js";

/** Who may read metrics. */
export interface MetricsReaders {
  /** Whether who sends no key reads what is of no project. */
  readonly isOpen: boolean;
  /** A key of its own, with which all is read. */
  readonly key?: string;
}

/** What somebody may see: of all deployments, of those of a project, or nothing that names any. */
export type MetricsView =
  | { readonly kind: "all" }
  | { readonly kind: "project"; readonly project: string }
  | { readonly kind: "nameless" };

/** What somebody may see. @throws Problem `unauthorized` or `forbidden` for who may see nothing; DatabaseError */
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

/** Whether two texts are equal; how long it takes says nothing of where they differ. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return a !== undefined && b !== undefined && timingSafeEqual(a, b);
}
