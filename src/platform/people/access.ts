import type { FastifyRequest } from "fastify";
import type { Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { type ApiKey, findApiKey, mayActAs, type Role } from "./api-keys.js";
import { type Membership, projectsOf } from "./members.js";
import { findTokenSession, isUserToken, type KeySession, type UserSession } from "./sessions.js";

/** Who asks: a key of a project, or somebody with an account, and the project that they ask about. */
export interface Caller {
  readonly kind: "key" | "user";
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly role: Role;
}

/** Who asks, before it is known what they ask about: with a key, with a token, or with the session of a browser. */
export type Identity =
  | {
      readonly kind: "key";
      readonly key: ApiKey;
      /** Of a browser that was signed in with the key. */
      readonly session?: KeySession;
    }
  | { readonly kind: "user"; readonly session: UserSession; readonly projects: readonly Membership[] };

/** The header that names the project somebody asks about who is in several. */
export const projectHeader = "graphloom-project";

/** Who asks. @throws Problem `unauthorized` without a key or token that is known; DatabaseError */
export async function identify(sql: Sql, request: FastifyRequest): Promise<Identity> {
  const sent = bearerOf(request);
  if (sent === undefined) {
    throw new Problem(
      "unauthorized",
      "Send an API key of the project or a login token: Authorization: Bearer <key>.",
    );
  }
  if (isUserToken(sent)) {
    const session = await findTokenSession(sql, sent);
    if (session) return { kind: "user", session, projects: await projectsOf(sql, session.user.id) };
    throw new Problem("unauthorized", "The token is unknown or has expired. Log in again.");
  }
  const key = await findApiKey(sql, sent);
  if (key) return { kind: "key", key };
  throw new Problem("unauthorized", "The API key is unknown or was revoked.");
}

/**
 * Who asks, and about which project.
 * @param project the one that the path of the request names; without it, the header's counts, and without that the one
 *   of `ownCaller`
 * @throws Problem when they are not in it
 */
export function callerFor(identity: Identity, { headers }: FastifyRequest, project?: string): Caller {
  const named = headers[projectHeader];
  const header = typeof named === "string" ? named.trim() : undefined;
  if (identity.kind === "key") {
    const { key } = identity;
    if (project !== undefined && project !== key.project) throw noProject(project);
    if (project === undefined && header !== undefined && header !== key.project) {
      throw new Problem(
        "forbidden",
        `The header ${projectHeader} names a different project than the API key belongs to. Omit the header.`,
      );
    }
    return callerOfKey(key);
  }
  const wanted = project ?? header;
  const found =
    wanted === undefined ? ownCaller(identity) : callerIn(identity.session.user, identity.projects, wanted);
  if (found) return found;
  if (project !== undefined) throw noProject(project);
  throw new Problem(
    "forbidden",
    wanted === undefined
      ? "You are not a member of any project. Create one with POST /api/v1/projects, or ask somebody to invite you."
      : `The header ${projectHeader} names the project ${wanted}, but you are not a member of it. GET /api/v1/projects lists your projects.`,
  );
}

/** Sees whether somebody may do what needs a role. @throws Problem `forbidden` */
export function requireRole({ kind, role }: Pick<Caller, "kind" | "role">, asked: Role): void {
  if (mayActAs(role, asked)) return;
  const who = kind === "key" ? "the key has" : "you have";
  throw new Problem("forbidden", `This needs the role ${asked}; ${who} the role ${role}.`);
}

/**
 * Who asks about the project that nobody had to name: of a key, its own; of a person, the one that their browser shows, or
 * else the one that they were in first. Nothing of who is in no project.
 */
export function ownCaller(identity: Identity): Caller | undefined {
  if (identity.kind === "key") return callerOfKey(identity.key);
  const { projects, session } = identity;
  const shown = session.project ?? projects[0]?.id;
  return callerIn(session.user, projects, shown) ?? callerIn(session.user, projects, projects[0]?.id);
}

function callerOfKey({ id, name, project, role }: ApiKey): Caller {
  return { kind: "key", id, name, project, role };
}

function callerIn(
  user: UserSession["user"],
  projects: readonly Membership[],
  wanted: string | undefined,
): Caller | undefined {
  const found = projects.find(({ id }) => id === wanted);
  return found && { kind: "user", id: user.id, name: user.email, project: found.id, role: found.role };
}

/** The key or token that a request carries. */
export function bearerOf({ headers }: FastifyRequest): string | undefined {
  return /^bearer +(\S+)$/i.exec(headers.authorization ?? "")?.[1];
}

/** The same for what others have and for what nobody has. */
function noProject(id: string): Problem {
  return new Problem("project-not-found", `The project ${id} does not exist, or you are not a member of it.`);
}
