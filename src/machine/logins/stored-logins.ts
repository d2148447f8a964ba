import { isRecord, parseJson } from "../../base/text/json-value.js";

/** A project as commands name it. */
export interface StoredProject {
  readonly id: string;
  readonly name: string;
}

/** A login to one API. */
export interface Login {
  readonly token: string;
  /** An API key belongs to one project; a user can have any number of them. */
  readonly kind: "key" | "user";
  /** The user's email address. */
  readonly email?: string;
  /** The user's selected project. */
  readonly project?: StoredProject;
}

/** Stored credentials: the current API, and a login for each. */
export interface StoredLogins {
  /** Base address of the current API, the default. */
  readonly apiUrl?: string | undefined;
  /** Logins by base address. */
  readonly logins: ReadonlyMap<string, Login>;
}

const version = 2;

export function printLogins({ apiUrl, logins }: StoredLogins): string {
  return `${JSON.stringify({ version, apiUrl, logins: Object.fromEntries(logins) }, null, 2)}\n`;
}

/**
 * Parses a file of this version or of the first one, which contained only API keys; `undefined` for any other text.
 */
export function parseLogins(text: string): StoredLogins | undefined {
  const value = parseJson(text);
  if (!isRecord(value)) return undefined;
  const { apiUrl, logins, tokens } = value;
  const read = value.version === version ? readEach(logins, readLogin) : readEach(tokens, readKey);
  return read && { logins: read, ...(typeof apiUrl === "string" && { apiUrl }) };
}

function readEach(
  value: unknown,
  read: (each: unknown) => Login | undefined,
): ReadonlyMap<string, Login> | undefined {
  if (!isRecord(value)) return undefined;
  const all = Object.entries(value).flatMap(([url, each]) => {
    const login = read(each);
    return login ? [[url, login] as const] : [];
  });
  return new Map(all);
}

function readKey(value: unknown): Login | undefined {
  return typeof value === "string" ? { token: value, kind: "key" } : undefined;
}

function readLogin(value: unknown): Login | undefined {
  if (!isRecord(value) || typeof value.token !== "string") return undefined;
  const { token, email } = value;
  if (value.kind !== "user") return { token, kind: "key" };
  const project = readProject(value.project);
  return { token, kind: "user", ...(typeof email === "string" && { email }), ...(project && { project }) };
}

function readProject(value: unknown): StoredProject | undefined {
  if (!isRecord(value) || typeof value.id !== "string" || typeof value.name !== "string") return undefined;
  return { id: value.id, name: value.name };
}
