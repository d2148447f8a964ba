import type { HttpRequest } from "../web/http/http-request.js";

/** What a member of a project may do, from most to least. */
export const roles = ["Owner", "Admin", "Editor", "Viewer"] as const;

export type Role = (typeof roles)[number];

/** A project that somebody is in. */
export interface AccountProject {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

/** Somebody who is in a project, or is invited to it. */
export interface ProjectMember {
  readonly email: string;
  /** Nothing of those who are only invited. */
  readonly name?: string;
  readonly role: string;
  readonly status: string;
  /** RFC 3339. */
  readonly since: string;
}

/** An invitation that was just made. */
export interface MadeInvitation {
  readonly email: string;
  readonly role: string;
  /** What the person opens; whoever has it can join. */
  readonly link: string;
  /** Whether the server has sent the link by mail. */
  readonly mailed: boolean;
  readonly expires_at: string;
}

/** A token for a command line, and whose it is. */
export interface IssuedToken {
  readonly token: string;
  readonly user: { readonly email: string; readonly name: string };
  readonly projects: readonly AccountProject[];
}

/** What ended with a membership. */
export interface EndedMembership {
  /** Keys of the project that they had made, which were revoked. */
  readonly revoked_keys: number;
}

/** What the operations answer in `data`; nothing where there is no body. */
export interface AccountAnswers {
  readonly getSignIn: { readonly password: boolean };
  readonly createToken: IssuedToken;
  readonly deleteToken: undefined;
  readonly listProjects: readonly AccountProject[];
  readonly createProject: AccountProject;
  readonly updateProject: AccountProject;
  readonly leaveProject: EndedMembership;
  readonly listMembers: readonly ProjectMember[];
  readonly createInvitations: readonly MadeInvitation[];
  readonly updateMember: ProjectMember;
  readonly deleteMember: EndedMembership;
}

/** An operation of people and their projects, which graphloom's own server has and the contract does not. */
export type AccountOperationId = keyof AccountAnswers;

/** The method and path of an operation, and the schema of what it answers in `data`. */
export interface AccountOperation {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly data?: object;
}

const text = { type: "string" } as const;
const count = { type: "integer" } as const;
const flag = { type: "boolean" } as const;
const project = fields({ id: text, name: text, role: text });
const member = fields({ email: text, role: text, status: text, since: text });
const invitation = fields({ email: text, role: text, link: text, mailed: flag, expires_at: text });
const issued = fields({ token: text, user: fields({ email: text, name: text }), projects: list(project) });

export const accountOperations: Readonly<Record<AccountOperationId, AccountOperation>> = {
  getSignIn: { method: "GET", path: "/auth", data: fields({ password: flag }) },
  createToken: { method: "POST", path: "/auth/token", data: issued },
  deleteToken: { method: "DELETE", path: "/auth/token" },
  listProjects: { method: "GET", path: "/projects", data: list(project) },
  createProject: { method: "POST", path: "/projects", data: project },
  updateProject: { method: "PATCH", path: "/projects/{id}", data: project },
  leaveProject: { method: "POST", path: "/projects/{id}/leave", data: fields({ revoked_keys: count }) },
  listMembers: { method: "GET", path: "/projects/{id}/members", data: list(member) },
  createInvitations: { method: "POST", path: "/projects/{id}/invitations", data: list(invitation) },
  updateMember: { method: "PATCH", path: "/projects/{id}/members/{email}", data: member },
  deleteMember: {
    method: "DELETE",
    path: "/projects/{id}/members/{email}",
    data: fields({ revoked_keys: count }),
  },
};

function fields(properties: Readonly<Record<string, object>>): object {
  return { type: "object", properties, required: Object.keys(properties) };
}

function list(items: object): object {
  return { type: "array", items };
}
