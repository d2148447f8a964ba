import type { FastifyRequest } from "fastify";
import { SharedReads } from "../../base/turns/shared-reads.js";
import type { Sql } from "../../store/database/database.js";
import { Problem } from "../problem.js";
import { type ApiKey, findApiKey, mayActAs, type Role } from "./api-keys.js";
import { type Membership, projectsOf } from "./members.js";
import { findTokenSession, isUserToken, type KeySession, type UserSession } from "./sign-in/sessions.js";

/** The caller: a key or a person with an account, together with the project that the request is about. */
export interface Caller {
  readonly kind: "key" | "user";
  readonly id: string;
  readonly name: string;
  readonly project: string;
  readonly role: Role;
  /** The network address of the request. Absent for commands that run their own server. */
  readonly address?: string;
}

/** The identity of a caller before the project is known: from a key, a token or a browser session. */
export type Identity =
  | {
      readonly kind: "key";
      readonly key: ApiKey;
      /** The session of a browser that signed in with the key. */
      readonly session?: KeySession;
    }
  | { readonly kind: "user"; readonly session: UserSession; readonly projects: readonly Membership[] };

/** The header in which members of several projects name the project. */
export const projectHeader = "graphloom-project";

/** By database, the callers that are being looked up, by their keys or tokens. */
const lookups = new WeakMap<Sql, SharedReads<Identity | undefined>>();

/**
 * Identifies the caller. Simultaneous requests of one caller share a query to the database.
 * @throws Problem `unauthorized` without a valid key or token; DatabaseError
 */
export async function identify(sql: Sql, request: FastifyRequest): Promise<Identity> {
  const sent = bearerOf(request);
  if (sent === undefined) {
    throw new Problem(
      "unauthorized",
      "Send an API key of the project or a login token: Authorization: Bearer <key>.",
    );
  }
  const shared = lookups.get(sql) ?? new SharedReads();
  lookups.set(sql, shared);
  const identity = await shared.read(sent, () => identityOf(sql, sent));
  if (identity) return identity;
  throw new Problem(
    "unauthorized",
    isUserToken(sent)
      ? "The token is unknown or has expired. Log in again."
      : "The API key is unknown or was revoked.",
  );
}

async function identityOf(sql: Sql, sent: string): Promise<Identity | undefined> {
  if (isUserToken(sent)) {
    const session = await findTokenSession(sql, sent);
    return session && { kind: "user", session, projects: await projectsOf(sql, session.user.id) };
  }
  const key = await findApiKey(sql, sent);
  return key && { kind: "key", key };
}

/**
 * The caller with their project.
 * @param project the project that the path of the request names; without it, the header names the project, and without
 *   the header, `ownCaller` chooses it
 * @throws Problem if the caller is not a member of the project
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
      ? "You are not a member of any project. Create one with POST /api/v1/projects, or ask someone to invite you."
      : `The header ${projectHeader} names the project ${wanted}, but you are not a member of it. GET /api/v1/projects lists your projects.`,
  );
}

/** Checks that a caller has at least a role. @throws Problem `forbidden` */
export function requireRole({ kind, role }: Pick<Caller, "kind" | "role">, asked: Role): void {
  if (mayActAs(role, asked)) return;
  const who = kind === "key" ? "the key has" : "you have";
  throw new Problem("forbidden", `This needs the role ${asked}; ${who} the role ${role}.`);
}

/**
 * The caller with a project that the request does not name. For a key, it is the key's project. For a person,
 * it is the project that their browser shows, or else the first project they joined. `undefined` for a person
 * without a project.
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

/** The same answer for the projects of others and for projects that do not exist. */
function noProject(id: string): Problem {
  return new Problem("project-not-found", `The project ${id} does not exist, or you are not a member of it.`);
}
