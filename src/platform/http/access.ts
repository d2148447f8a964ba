import type { FastifyRequest } from "fastify";
import { type ApiKey, findApiKey, mayActAs, type Role } from "../catalog/api-keys.js";
import type { Database } from "../database/database.js";
import { Problem } from "./problem.js";

/** Who asks: a key of a project. */
export type Caller = Pick<ApiKey, "id" | "project" | "role" | "name">;

/**
 * Who asks, if they may do what needs a role.
 * @throws Problem `unauthorized` without a key that is known, `forbidden` when its role is not enough; DatabaseError
 */
export async function authorize(database: Database, request: FastifyRequest, role: Role): Promise<ApiKey> {
  const key = bearerOf(request);
  if (key === undefined) {
    throw new Problem("unauthorized", "Send a key of the project: Authorization: Bearer <key>.");
  }
  const found = await findApiKey(database, key);
  if (!found) throw new Problem("unauthorized", "The key is not known, or was revoked.");
  if (!mayActAs(found.role, role)) {
    throw new Problem("forbidden", `This needs the role ${role}; the key has the role ${found.role}.`);
  }
  return found;
}

/** The key that a request carries. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}
