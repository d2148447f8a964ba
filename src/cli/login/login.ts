import type { AccountProject, IssuedToken } from "../../api/account-operations.js";
import { type AccountsApi, createAccountsApi, kindOfToken } from "../../api/accounts-api.js";
import { ApiAnswerError } from "../../api/answers/answer-error.js";
import { ApiProblem } from "../../api/answers/problem.js";
import type { ApiConnection } from "../../api/call-route.js";
import { createManagementApi } from "../../api/management-api.js";
import { visible } from "../../base/text/visible.js";
import type { World } from "../../base/world.js";
import { createCredentialStore } from "../../machine/logins/credentials.js";
import type { Login } from "../../machine/logins/stored-logins.js";
import { HttpError } from "../../web/http/http-error.js";
import { chooseProject } from "../remote/choose-project.js";
import {
  apiUrlOf,
  connectionTo,
  namedProject,
  type RemoteArguments,
  tokenOf,
  warnOfPlainText,
} from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { LoginError, signInByHand, signInWithBrowser } from "./sign-in.js";

/** Limit of the input in characters, far above any token. */
const longestInput = 65_536;

/** Milliseconds to wait for piped input. */
const patience = 30_000;

const nothing =
  "No token: nothing was piped in, and this is not a terminal. Run graphloom login in a terminal, pipe an API key into it, or pass a token with --token.";

export interface LoginArguments extends RemoteArguments {
  readonly browser: boolean;
}

/** A login that the server has accepted. */
interface Proven {
  readonly login: Login;
  /** The person's projects. */
  readonly projects: readonly AccountProject[];
}

/**
 * Signs a person in, or verifies an API key, and stores the token. Its API becomes the current one. Returns the exit
 * code.
 */
export async function login(args: LoginArguments, terminal: Terminal): Promise<number> {
  const store = createCredentialStore(terminal.env ?? {});
  const stored = await store.read();
  const url = apiUrlOf(args.apiUrl ?? (terminal.env?.GRAPHLOOM_API_URL || stored.apiUrl));
  warnOfPlainText(url, terminal);
  try {
    const given = await obtain(url, args, terminal);
    const token = tokenOf(typeof given === "string" ? given : given?.token, url);
    const issued = typeof given === "object" ? given : undefined;
    const wanted = namedProject(args, terminal);
    const before = stored.logins.get(url)?.project?.id;
    const proven = await prove(connectionTo(url, token, args, terminal), { issued, wanted, before });
    await store.write({ apiUrl: url, logins: new Map([...stored.logins, [url, proven.login]]) });
    terminal.out(welcome(url, store.path, proven));
    return exitCodes.clean;
  } catch (error) {
    if (error instanceof ApiProblem || error instanceof LoginError) terminal.err("Nothing was stored.\n");
    if (!(error instanceof LoginError)) throw error;
    terminal.err(`${visible(error.message)}\n`);
    return exitCodes.remote;
  }
}

/** Gets a token from the command line, a pipe, or by signing in. */
async function obtain(
  url: string,
  args: LoginArguments,
  terminal: Terminal,
): Promise<IssuedToken | string | undefined> {
  if (args.token) return args.token;
  const connection = connectionTo(url, "", args, terminal);
  const { world } = connection;
  if (!terminal.ask) return readPipedToken(terminal, world);
  const accounts = createAccountsApi(connection);
  if (!(await knowsPeople(accounts))) {
    terminal.err(`${new URL(url).host} does not support this way of signing in. Use an API key.\n`);
    return askForToken(url, terminal);
  }
  const signIn = { url, accounts, world, terminal };
  return args.browser ? signInWithBrowser(signIn) : signInByHand(signIn);
}

/** Whether a server supports signing people in. Other services refuse the request or answer something else. */
async function knowsPeople(accounts: AccountsApi): Promise<boolean> {
  try {
    await accounts.checkSignIn();
    return true;
  } catch (error) {
    const isOther =
      error instanceof ApiAnswerError ||
      (error instanceof HttpError && error.kind === "redirected") ||
      (error instanceof ApiProblem && (error.status === 501 || (error.status < 500 && error.status !== 429)));
    if (isOther) return false;
    throw error;
  }
}

/** What is already known about the project to select. */
interface Choice {
  readonly issued: IssuedToken | undefined;
  /** The project that the person named. */
  readonly wanted: string | undefined;
  /** Id of the project selected at an earlier login. */
  readonly before: string | undefined;
}

/** Verifies a token, so that a token that the API rejects is never stored. */
async function prove(connection: ApiConnection, { issued, wanted, before }: Choice): Promise<Proven> {
  const { token } = connection;
  if (kindOfToken(token) === "key") {
    await createManagementApi(connection).checkAccess();
    return { login: { token, kind: "key" }, projects: [] };
  }
  const projects = issued?.projects ?? (await createAccountsApi(connection).listProjects());
  const project =
    wanted === undefined
      ? (projects.find(({ id }) => id === before) ?? projects[0])
      : chooseProject(projects, wanted);
  return {
    login: {
      token,
      kind: "user",
      ...(issued && { email: issued.user.email }),
      ...(project && { project: { id: project.id, name: project.name } }),
    },
    projects,
  };
}

function welcome(url: string, path: string, { login: { kind, email, project }, projects }: Proven): string {
  const who = email === undefined ? "" : ` as ${visible(email)}`;
  const lines = [
    `Logged in to ${url}${who}. The token is stored in ${visible(path)}, which only you can read.`,
  ];
  if (project) lines.push(`Commands use the project ${visible(project.name)} (${visible(project.id)}).`);
  if (projects.length > 1)
    lines.push("To use a different project: graphloom project list, then graphloom project use <name>.");
  if (kind === "user" && !project)
    lines.push("You are not in a project yet. Create one: graphloom project create --name <name>");
  return lines.map((line) => `${line}\n`).join("");
}

/** Prompts for an API key of the project. @returns `undefined` at the end of input */
export async function askForToken(url: string, terminal: Terminal): Promise<string | undefined> {
  terminal.err(`Create an API key in the settings of your project, then paste it here. It is not shown.\n`);
  return terminal.ask?.(`API key for ${url}: `, { hidden: true });
}

/**
 * Reads piped input to its end.
 * @throws UsageError when it is empty, or nothing arrives for half a minute: there is neither a terminal nor a pipe
 */
export async function readPipedToken(
  { stdin }: Pick<Terminal, "stdin">,
  world: Pick<World, "timeout">,
): Promise<string> {
  if (!stdin) throw new UsageError(nothing);
  const chunks = stdin[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = "";
  let next = await inTime(chunks.next(), world.timeout(patience));
  while (next.done !== true && text.length <= longestInput) {
    text += decoder.decode(next.value, { stream: true });
    next = await chunks.next();
  }
  if (text.trim() === "") throw new UsageError(nothing);
  return text;
}

function inTime<Value>(value: Promise<Value>, limit: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new UsageError(nothing));
    limit.addEventListener("abort", fail, { once: true });
    value.then(resolve, reject).finally(() => limit.removeEventListener("abort", fail));
  });
}
