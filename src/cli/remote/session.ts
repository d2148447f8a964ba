import type { ManagementApi } from "../../api/management-api.js";
import { createManagementApi } from "../../api/management-api.js";
import { visible } from "../../base/visible.js";
import { createCredentialStore } from "../../node/credentials.js";
import { createNodeWorld } from "../../node/world.js";
import type { SendOptions } from "../../web/http/send.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** The options of every command that talks to the management API. */
export interface RemoteArguments {
  readonly token?: string | undefined;
  readonly apiUrl?: string | undefined;
  readonly verbose: boolean;
}

/** The management API, with the token that goes with it. */
export interface Session {
  readonly api: ManagementApi;
  /** Base address of the API, as it was given or stored. */
  readonly url: string;
}

/**
 * Opens the API that the command line, the environment or the last login names.
 * A stored token is only ever used for the API it was stored for.
 * @throws UsageError when it is not known which API, or with which token
 */
export async function openSession(args: RemoteArguments, terminal: Terminal): Promise<Session> {
  const environment = terminal.env ?? {};
  const given = {
    url: args.apiUrl ?? (environment.GRAPHLOOM_API_URL || undefined),
    token: args.token || environment.GRAPHLOOM_TOKEN || undefined,
  };
  // What is not needed is not touched, and cannot be in the way.
  const isNeeded = given.url === undefined || given.token === undefined;
  const stored = isNeeded ? await createCredentialStore(environment).read() : undefined;
  const url = apiUrlOf(given.url ?? stored?.apiUrl);
  const token = tokenOf(given.token ?? stored?.tokens.get(url), url);
  warnOfPlainText(url, terminal);
  return { url, api: openApi(url, token, args, terminal) };
}

/** Warns when a token would be sent to another machine for everybody on the way to read. */
export function warnOfPlainText(url: string, terminal: Terminal): void {
  const { protocol, hostname, host } = new URL(url);
  if (protocol !== "http:" || isThisMachine(hostname)) return;
  passing(terminal)(
    `The token goes to ${host} unencrypted, and everybody on the way can read it: use https:// if you can.\n`,
  );
}

/** Host names as a URL writes them: an IPv6 address in brackets. */
function isThisMachine(hostname: string): boolean {
  return /^(localhost\.?|.+\.localhost\.?|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\])$/.test(
    hostname,
  );
}

/** The API at an address, with what the user wants to see of it. */
export function openApi(
  url: string,
  token: string,
  { verbose }: Pick<RemoteArguments, "verbose">,
  terminal: Terminal,
): ManagementApi {
  return createManagementApi({
    url,
    token,
    world: createNodeWorld(terminal.signal),
    ...showingRequests(verbose, passing(terminal)),
  });
}

/** Tells what is asked of servers: new attempts always, every request when that is wanted. */
export function showingRequests(verbose: boolean, print: (line: string) => void): SendOptions {
  return {
    onRetry: (why, wait) => print(`asking again in ${(wait / 1000).toFixed(1)} s: ${visible(why)}\n`),
    ...(verbose && { onRequest: (line: string) => print(`${visible(line)}\n`) }),
  };
}

/**
 * The base address of an API, without a slash at its end.
 * @throws UsageError when it is none
 */
export function apiUrlOf(text: string | undefined): string {
  if (text === undefined || text === "")
    throw new UsageError(
      "Say which API to talk to: --api-url <address>, GRAPHLOOM_API_URL, or graphloom login.",
    );
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol) || url.search !== "" || url.hash !== "")
    throw new UsageError("The address of the API must begin with http:// or https:// and end with a path.");
  if (url.username !== "" || url.password !== "")
    throw new UsageError("The address of the API holds a password: give the token with --token instead.");
  return url.href.replace(/\/+$/, "");
}

/**
 * A token as it can be sent.
 * @throws UsageError when there is none, or it holds what no token holds; the message never shows it
 */
export function tokenOf(text: string | undefined, url: string): string {
  const token = text?.trim() ?? "";
  if (token === "")
    throw new UsageError(
      `There is no token for ${url}: log in with graphloom login, or give one with --token or GRAPHLOOM_TOKEN.`,
    );
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new UsageError("The token holds blanks, line breaks or other characters that no token holds.");
  return token;
}
