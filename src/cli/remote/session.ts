import type { AccountProject } from "../../api/account-operations.js";
import { type AccountsApi, createAccountsApi } from "../../api/accounts-api.js";
import type { ApiConnection } from "../../api/call-route.js";
import { createDatasetsApi, type DatasetsApi } from "../../api/datasets-api.js";
import { createHostedSinksApi, type HostedSinksApi } from "../../api/hosted-sinks-api.js";
import { createManagementApi, type ManagementApi } from "../../api/management-api.js";
import { createPipelinesApi, type PipelinesApi } from "../../api/pipelines-api.js";
import { visible } from "../../base/text/visible.js";
import { createCredentialStore } from "../../machine/logins/credentials.js";
import type { Login, StoredProject } from "../../machine/logins/stored-logins.js";
import { createNodeWorld } from "../../machine/world.js";
import type { SendOptions } from "../../web/http/send.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";
import { chooseProject } from "./choose-project.js";

/** Options of every command that talks to the management API. */
export interface RemoteArguments {
  readonly token?: string | undefined;
  readonly apiUrl?: string | undefined;
  /** Id or name of the project, for people in several projects. */
  readonly project?: string | undefined;
  readonly verbose: boolean;
}

/** The management API and its address. */
export interface Session {
  readonly api: ManagementApi;
  readonly accounts: AccountsApi;
  readonly datasets: DatasetsApi;
  readonly pipelines: PipelinesApi;
  readonly hostedSinks: HostedSinksApi;
  /** Base address of the API, as given or stored. */
  readonly url: string;
  /** Sent only to this API and to endpoints of the same server. */
  readonly token: string;
  /** The selected project. Without one, the server chooses. */
  readonly project?: StoredProject;
}

/**
 * Opens the API given on the command line, in the environment or by the last login. A stored token is only used for the
 * API it was stored for, and the project selected with it only with that token.
 * @throws UsageError when the API, its token or the named project is unknown
 */
export async function openSession(args: RemoteArguments, terminal: Terminal): Promise<Session> {
  const environment = terminal.env ?? {};
  const given = {
    url: args.apiUrl ?? (environment.GRAPHLOOM_API_URL || undefined),
    token: args.token || environment.GRAPHLOOM_TOKEN || undefined,
  };
  // The credential store is only read when needed, so that a damaged one does no harm otherwise.
  const isNeeded = given.url === undefined || given.token === undefined;
  const stored = isNeeded ? await createCredentialStore(environment).read() : undefined;
  const url = apiUrlOf(given.url ?? stored?.apiUrl);
  const login = given.token === undefined ? stored?.logins.get(url) : undefined;
  if (given.token === undefined && !login) refuseNearAddress(url, [...(stored?.logins.keys() ?? [])]);
  const token = tokenOf(given.token ?? login?.token, url);
  warnOfPlainText(url, terminal);
  const connection = connectionTo(url, token, args, terminal);
  const accounts = createAccountsApi(connection);
  const named = namedProject(args, terminal);
  const project = named === undefined ? login?.project : await findProject(named, login, accounts);
  const ofProject = { ...connection, project: project?.id };
  const api = createManagementApi(ofProject);
  return {
    url,
    token,
    api,
    accounts,
    datasets: createDatasetsApi(ofProject),
    pipelines: createPipelinesApi(ofProject),
    hostedSinks: createHostedSinksApi(ofProject),
    ...(project && { project }),
  };
}

/** @throws UsageError if the user is logged in to the same server, under another of its addresses */
function refuseNearAddress(url: string, known: readonly string[]): void {
  const near = known.find((one) => new URL(one).host === new URL(url).host);
  if (near !== undefined)
    throw new UsageError(
      `No token for ${url}. You are logged in to ${near}: pass --api-url ${near}, or leave the option out.`,
    );
}

/** The project named on the command line or in the environment. */
export function namedProject(args: RemoteArguments, { env }: Pick<Terminal, "env">): string | undefined {
  return args.project || env?.GRAPHLOOM_PROJECT || undefined;
}

/** The message for a person without a project. */
export const noProject = "You are not in a project yet. Create one: graphloom project create --name <name>";

/**
 * The project that the commands of a session use.
 * @throws UsageError when the person is not in a project
 */
export async function projectOf({ project, accounts }: Session): Promise<StoredProject> {
  if (project) return project;
  const [first] = await accounts.listProjects();
  if (first) return first;
  throw new UsageError(noProject);
}

/** Finds the named project. Asks the server unless the stored project has this id. */
async function findProject(
  named: string,
  login: Login | undefined,
  accounts: AccountsApi,
): Promise<StoredProject | AccountProject> {
  const known = login?.project;
  if (known?.id === named) return known;
  return chooseProject(await accounts.listProjects(), named);
}

/** Warns when a token would be sent in plain text to another machine. */
export function warnOfPlainText(url: string, terminal: Terminal): void {
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== "http:" || isThisMachine(hostname)) return;
  passing(terminal)(
    `The token goes to ${host} unencrypted, so anyone along the way can read it. Use https:// if you can.\n`,
  );
}

/** Host names as a URL writes them: an IPv6 address in brackets. */
function isThisMachine(hostname: string): boolean {
  return /^(localhost\.?|.+\.localhost\.?|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(
    hostname,
  );
}

/** A connection to an API that reports retries and requests to the user. @param token empty before a login */
export function connectionTo(
  url: string,
  token: string,
  { verbose }: Pick<RemoteArguments, "verbose">,
  terminal: Terminal,
): ApiConnection {
  return {
    url,
    token,
    world: createNodeWorld(terminal.signal),
    ...showingRequests(verbose, passing(terminal)),
  };
}

/** Callbacks that print requests to servers: retries always, every request with `--verbose`. */
export function showingRequests(verbose: boolean, print: (line: string) => void): SendOptions {
  return {
    onRetry: (why, wait) => print(`retrying in ${(wait / 1000).toFixed(1)} s: ${visible(why)}\n`),
    ...(verbose && { onRequest: (line: string) => print(`${visible(line)}\n`) }),
  };
}

/**
 * The base address of an API, without a trailing slash.
 * @throws UsageError when it is not a web URL
 */
export function apiUrlOf(text: string | undefined): string {
  if (text === undefined || text === "")
    throw new UsageError(
      "No API to talk to. Pass --api-url <address>, set GRAPHLOOM_API_URL, or run graphloom login.",
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError(
      "The address of the API must start with http:// or https://, without a query or a fragment.",
    );
  if (url.username !== "" || url.password !== "")
    throw new UsageError(
      "The address of the API contains a user name or password. Pass the token with --token instead.",
    );
  return url.href.replace(/\/+$/, "");
}

/**
 * Validates a token.
 * @throws UsageError when it is missing or contains illegal characters; the message never quotes it
 */
export function tokenOf(text: string | undefined, url: string): string {
  const token = text?.trim() ?? "";
  if (token === "")
    throw new UsageError(
      `No token for ${url}. Run graphloom login, or pass a token with --token or GRAPHLOOM_TOKEN.`,
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError(
      "The token contains spaces, line breaks or other characters that a token cannot contain.",
    );
  return token;
}
