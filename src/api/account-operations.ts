import {
  dataOf,
  type Extension,
  listOf,
  objectOf,
  type Schema,
  textSchema,
  timeSchema,
} from "./extension.js";

/** The roles of project members, from the most rights to the fewest. */
export const roles = ["Owner", "Admin", "Editor", "Viewer"] as const;

export type Role = (typeof roles)[number];

/** A project, and the user's role in the project. */
export interface AccountProject {
  readonly id: string;
  readonly name: string;
  readonly role: string;
}

/** A member of a project, or a person who is invited to it. */
export interface ProjectMember {
  readonly email: string;
  /** Absent for people who are only invited. */
  readonly name?: string;
  readonly role: string;
  readonly status: string;
  /** RFC 3339. */
  readonly since: string;
}

export interface MadeInvitation {
  readonly email: string;
  readonly role: string;
  /** The link for the invited person. Anyone who has it can join. */
  readonly link: string;
  /** Whether the server sent the link by email. */
  readonly mailed: boolean;
  readonly expires_at: string;
}

/** A token for a command line, and its user. */
export interface IssuedToken {
  readonly token: string;
  readonly user: { readonly email: string; readonly name: string };
  readonly projects: readonly AccountProject[];
}

/** What happened when a membership ended. */
export interface EndedMembership {
  /** How many API keys were revoked because the person had made them. */
  readonly revoked_keys: number;
}

/** The `data` of each operation's answer; undefined for an empty body. */
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

/** An operation for people and projects, found on graphloom's server but not in the contract. */
export type AccountOperationId = keyof AccountAnswers;

/** The client id of the command line, the only client that gets tokens. */
export const commandLine = "graphloom-cli";

/** The redirect URI for a login whose code the person copies to the command line. */
export const byHand = "urn:ietf:wg:oauth:2.0:oob";

/** The most characters in the name of a project, a key or a person. */
export const longestName = 80;

/** The most characters in an email address. */
export const longestEmail = 254;

/** The most email addresses that one request may invite. */
const mostInvited = 50;

export const roleSchema: Schema = { type: "string", enum: roles };
export const userSchema = objectOf({ id: textSchema("`user_…`"), email: textSchema(), name: textSchema() });
export const projectIdSchema = textSchema("`project_…`");
export const projectSchema = objectOf({ id: projectIdSchema, name: textSchema(), role: roleSchema });
const naming = objectOf({ name: { type: "string", minLength: 1, maxLength: longestName } });
const member = objectOf({
  email: textSchema(),
  "name?": textSchema("Absent for people who are only invited."),
  role: roleSchema,
  status: { type: "string", enum: ["member", "invited"] },
  since: timeSchema,
});
const revokedKeys: Schema = {
  type: "integer",
  description: "How many of the project's API keys were revoked because this person had made them.",
};
const sent = { type: "string", minLength: 1, maxLength: 500 };

/** The operations, as they also appear in the server's description. */
export const accountOperations: Readonly<Record<AccountOperationId, Extension>> = {
  getSignIn: {
    method: "GET",
    path: "/auth",
    summary: "Returns how people sign in.",
    answer: dataOf(
      objectOf({
        password: { type: "boolean" },
        "oidc?": objectOf({ name: textSchema("The name of the provider.") }),
        sign_up: { type: "string", enum: ["open", "invited"] },
      }),
    ),
  },
  createToken: {
    method: "POST",
    path: "/auth/token",
    summary: "Exchanges the code of a login for a token.",
    body: objectOf({
      grant_type: { type: "string", enum: ["authorization_code"] },
      code: sent,
      code_verifier: { type: "string", pattern: "^[A-Za-z0-9._~-]{43,128}$" },
      client_id: sent,
      redirect_uri: sent,
    }),
    answer: dataOf(
      objectOf({
        token: textSchema("`glu_…`, for the Authorization header."),
        expires_at: timeSchema,
        user: userSchema,
        projects: listOf(projectSchema),
      }),
    ),
  },
  deleteToken: { method: "DELETE", path: "/auth/token", summary: "Ends the token that the request carries." },
  listProjects: {
    method: "GET",
    path: "/projects",
    summary: "Lists the projects that you are a member of.",
    answer: dataOf(listOf(projectSchema)),
  },
  createProject: {
    method: "POST",
    path: "/projects",
    summary: "Creates a project, with you as its Owner.",
    body: naming,
    answer: dataOf(projectSchema),
    status: 201,
  },
  updateProject: {
    method: "PATCH",
    path: "/projects/{id}",
    summary: "Renames a project.",
    body: naming,
    answer: dataOf(projectSchema),
  },
  leaveProject: {
    method: "POST",
    path: "/projects/{id}/leave",
    summary: "Leaves a project. The API keys that you made in it are revoked.",
    answer: dataOf(objectOf({ id: projectIdSchema, revoked_keys: revokedKeys })),
  },
  listMembers: {
    method: "GET",
    path: "/projects/{id}/members",
    summary: "Lists the members of a project and the people invited to it.",
    answer: dataOf(listOf(member)),
  },
  createInvitations: {
    method: "POST",
    path: "/projects/{id}/invitations",
    summary: "Invites people to a project.",
    body: objectOf({
      emails: {
        type: "array",
        items: { type: "string", maxLength: longestEmail },
        minItems: 1,
        maxItems: mostInvited,
      },
      "role?": { ...roleSchema, default: "Viewer" },
    }),
    answer: dataOf(
      listOf(
        objectOf({
          email: textSchema(),
          role: roleSchema,
          link: textSchema("The link for the invited person. Anyone who has it can join."),
          mailed: { type: "boolean", description: "Whether the server sent the link by email." },
          expires_at: timeSchema,
        }),
      ),
    ),
    status: 201,
  },
  updateMember: {
    method: "PATCH",
    path: "/projects/{id}/members/{email}",
    summary: "Changes the role of a member.",
    body: objectOf({ role: roleSchema }),
    answer: dataOf(member),
  },
  deleteMember: {
    method: "DELETE",
    path: "/projects/{id}/members/{email}",
    summary: "Removes a member and revokes the API keys they made, or withdraws an invitation.",
    answer: dataOf(objectOf({ revoked_keys: revokedKeys })),
  },
};
