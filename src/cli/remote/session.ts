import type { ManagementApi } from "../../api/management-api.js";
import { createManagementApi } from "../../api/management-api.js";
import { visible } from "../../base/visible.js";
import { createCredentialStore } from "../../node/credentials.js";
import { createNodeWorld } from "../../node/world.js";
import type { SendOptions } from "../../web/http/send.js";
import { passing } from "../terminal/passing.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** Options of every command that talks to the management API. */
export interface RemoteArguments {
  readonly token?: string | undefined;
  readonly apiUrl?: string | undefined;
  readonly verbose: boolean;
}

/** The management API and its address. */
export interface Session {
  readonly api: ManagementApi;
  /** Base address of the API, as given or stored. */
  readonly url: string;
  /** Sent to this API alone, and to endpoints of the same server. */
  readonly token: string;
}

/**
 * Opens the API of the command line, the environment or the last login. A stored token is only ever used for
 * the API it was stored for.
 * @throws UsageError when the API or its token is not known
 */
export async function openSession(args: RemoteArguments, terminal: Terminal): Promise<Session> {
  const environment = terminal.env ?? {};
  const given = {
    url: args.apiUrl ?? (environment.GRAPHLOOM_API_URL || undefined),
    token: args.token || environment.GRAPHLOOM_TOKEN || undefined,
  };
  // The credential store is only read when needed, so that a damaged one is not in the way otherwise.
  const isNeeded = given.url === undefined || given.token === undefined;
  const stored = isNeeded ? await createCredentialStore(environment).read() : undefined;
  const url = apiUrlOf(given.url ?? stored?.apiUrl);
  const token = tokenOf(given.token ?? stored?.tokens.get(url), url);
  warnOfPlainText(url, terminal);
  return { url, token, api: openApi(url, token, args, terminal) };
}

/** Warns when a token would be sent in plain text to another machine. */
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

/** A client of an API that reports retries and requests to the user. */
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

/** Callbacks that print the requests to servers: retries always, every request with `--verbose`. */
export function showingRequests(verbose: boolean, print: (line: string) => void): SendOptions {
  return {
    onRetry: (why, wait) => print(`asking again in ${(wait / 1000).toFixed(1)} s: ${visible(why)}\n`),
    ...(verbose && { onRequest: (line: string) => print(`${visible(line)}\n`) }),
  };
}

/**
 * The base address of an API, without a slash at its end.
 * @throws UsageError when it is not a web URL
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
 * Validates a token.
 * @throws UsageError when it is missing or holds illegal characters; the message never quotes it
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
