import type { FastifyRequest } from "fastify";
import type { Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { type ApiKey, findApiKey, mayActAs, type Role } from "./api-keys.js";
import { type Membership, projectsOf } from "./members.js";
import { findTokenSession, isUserToken, type UserSession } from "./sessions.js";

/** Who asks: a key of a project, or somebody with an account, and the project that they ask about. */
export interface Caller {
  readonly kind: "key" | "user";
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly role: Role;
}

/** Who sent a key or a token, before it is known what they ask about. */
export type Identity =
  | { readonly kind: "key"; readonly key: ApiKey }
  | { readonly kind: "user"; readonly session: UserSession };

/** The header that names the project somebody asks about who is in several. */
export const projectHeader = "graphloom-project";

/** Who asks. @throws Problem `unauthorized` without a key or token that is known; DatabaseError */
export async function identify(sql: Sql, request: FastifyRequest): Promise<Identity> {
  const sent = bearerOf(request);
  if (sent === undefined) {
    throw new Problem(
      "unauthorized",
      "Send a key of the project, or the token of a login: Authorization: Bearer <key>.",
    );
  }
  if (isUserToken(sent)) {
    const session = await findTokenSession(sql, sent);
    if (session) return { kind: "user", session };
    throw new Problem("unauthorized", "The token is not known, or is over: log in again.");
  }
  const key = await findApiKey(sql, sent);
  if (key) return { kind: "key", key };
  throw new Problem("unauthorized", "The key is not known, or was revoked.");
}

/**
 * Who asks, and about which project.
 * @param project the one that the path of the request names; without it, the header's counts, and without that the one
 *   of the key, or the one that the person was in first
 * @throws Problem when they are not in it; DatabaseError
 */
export async function callerFor(
  sql: Sql,
  identity: Identity,
  { headers }: FastifyRequest,
  project?: string,
): Promise<Caller> {
  const named = headers[projectHeader];
  const header = typeof named === "string" ? named.trim() : undefined;
  if (identity.kind === "key") {
    const { key } = identity;
    if (project !== undefined && project !== key.project) throw noProject(project);
    if (project === undefined && header !== undefined && header !== key.project) {
      throw new Problem(
        "forbidden",
        `The key is one of another project than the header ${projectHeader} names: leave the header out.`,
      );
    }
    return callerOfKey(key);
  }
  const { user } = identity.session;
  const own = await projectsOf(sql, user.id);
  const wanted = project ?? header;
  const found = wanted === undefined ? own[0] : own.find(({ id }) => id === wanted);
  if (found) return callerOfUser(user, found);
  if (project !== undefined) throw noProject(project);
  throw new Problem(
    "forbidden",
    wanted === undefined
      ? "You are in no project: create one with POST /api/v1/projects, or have somebody invite you."
      : `You are in no project ${wanted}, which the header ${projectHeader} names: GET /api/v1/projects lists yours.`,
  );
}

/** Sees whether somebody may do what needs a role. @throws Problem `forbidden` */
export function requireRole({ kind, role }: Pick<Caller, "kind" | "role">, asked: Role): void {
  if (mayActAs(role, asked)) return;
  const who = kind === "key" ? "the key has" : "you have";
  throw new Problem("forbidden", `This needs the role ${asked}; ${who} the role ${role}.`);
}

/** A key as the one who asks. */
export function callerOfKey({ id, name, project, role }: ApiKey): Caller {
  return { kind: "key", id, name, project, role };
}

/** Somebody with an account as the one who asks about a project. */
export function callerOfUser(user: UserSession["user"], { id: project, role }: Membership): Caller {
  return { kind: "user", id: user.id, name: user.email, project, role };
}

/** The key or token that a request carries. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** The same for what others have and for what nobody has. */
function noProject(id: string): Problem {
  return new Problem("project-not-found", `There is no project ${id} that you are in.`);
}
