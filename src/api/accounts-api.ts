import {
  type AccountAnswers,
  type AccountOperationId,
  type AccountProject,
  accountOperations,
  type EndedMembership,
  type IssuedToken,
  type MadeInvitation,
  type ProjectMember,
  type Role,
} from "./account-operations.js";
import { checkData } from "./answers/check-answer.js";
import { type AnyInput, type ApiConnection, callRoute } from "./call-route.js";

/** What the client sends to exchange a code for a token. */
export interface CodeExchange {
  readonly code: string;
  /** The secret behind the challenge of the login (PKCE). */
  readonly verifier: string;
  readonly client: string;
  readonly redirectUri: string;
}

/** The people to invite, and their role. */
export interface Invite {
  readonly emails: readonly string[];
  readonly role: Role;
}

/** A member of a project, and their new role. */
export interface MemberRole {
  readonly email: string;
  readonly role: Role;
}

/**
 * People and projects on graphloom's server. Every method rejects with ApiProblem if the server refuses, HttpError if
 * there is no response, and ApiAnswerError if the answer is malformed. Reading operations make up to three attempts,
 * all others one.
 */
export interface AccountsApi {
  /** Rejects unless the server has user accounts. */
  checkSignIn(): Promise<void>;
  exchangeCode(exchange: CodeExchange): Promise<IssuedToken>;
  /** Ends the connection's token. */
  endToken(): Promise<void>;
  /** The user's projects, in the order in which the user joined them. */
  listProjects(): Promise<readonly AccountProject[]>;
  createProject(name: string): Promise<AccountProject>;
  renameProject(id: string, name: string): Promise<AccountProject>;
  leaveProject(id: string): Promise<EndedMembership>;
  listMembers(project: string): Promise<readonly ProjectMember[]>;
  invite(project: string, invite: Invite): Promise<readonly MadeInvitation[]>;
  setRole(project: string, member: MemberRole): Promise<ProjectMember>;
  removeMember(project: string, email: string): Promise<EndedMembership>;
}

/** Creates a client for a server's accounts. This sends no request. */
export function createAccountsApi(connection: ApiConnection): AccountsApi {
  // Each path names its project; all other operations concern the user.
  const { project: _, ...own } = connection;
  const call = async <Id extends AccountOperationId>(id: Id, input: AnyInput = {}) => {
    const operation = accountOperations[id];
    const { text, secrets } = await callRoute(own, { ...operation, id }, input);
    return checkData(id, operation, text, secrets) as AccountAnswers[Id];
  };
  return {
    async checkSignIn() {
      await call("getSignIn");
    },
    exchangeCode: ({ code, verifier, client, redirectUri }) =>
      call("createToken", {
        body: {
          grant_type: "authorization_code",
          code,
          code_verifier: verifier,
          client_id: client,
          redirect_uri: redirectUri,
        },
        secrets: [code, verifier],
      }),
    endToken: () => call("deleteToken"),
    listProjects: () => call("listProjects"),
    createProject: (name) => call("createProject", { body: { name } }),
    renameProject: (id, name) => call("updateProject", { path: { id }, body: { name } }),
    leaveProject: (id) => call("leaveProject", { path: { id } }),
    listMembers: (id) => call("listMembers", { path: { id } }),
    invite: (id, { emails, role }) => call("createInvitations", { path: { id }, body: { emails, role } }),
    setRole: (id, { email, role }) => call("updateMember", { path: { id, email }, body: { role } }),
    removeMember: (id, email) => call("deleteMember", { path: { id, email } }),
  };
}

/** Whether a token is a project's API key or belongs to a user who is logged in. */
export function kindOfToken(token: string): "key" | "user" {
  return token.startsWith("glu_") ? "user" : "key";
}
