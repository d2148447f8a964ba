import { ApiProblem } from "../../api/problem.js";
import { visible } from "../../base/visible.js";
import {
  type CredentialStore,
  type Credentials,
  CredentialsError,
  createCredentialStore,
} from "../../node/credentials.js";
import { apiUrlOf, openApi, type RemoteArguments, tokenOf, warnOfPlainText } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage-error.js";

/** Arguments of `login`. */
export interface LoginArguments extends RemoteArguments {
  readonly browser?: boolean | undefined;
}

/** Limit of the input in characters, far above any token. */
const longestInput = 65_536;

/** Verifies a token and stores it for its API, which becomes the current one; returns the exit code. */
export async function login(args: LoginArguments, terminal: Terminal): Promise<number> {
  if (args.browser === true)
    throw new UsageError(
      "Signing in with a browser is not built yet: create an API key in the project's settings and use graphloom login --no-browser",
    );
  const store = createCredentialStore(terminal.env ?? {});
  const stored = await store.read();
  const url = apiUrlOf(args.apiUrl ?? (terminal.env?.GRAPHLOOM_API_URL || stored.apiUrl));
  warnOfPlainText(url, terminal);
  const token = tokenOf(args.token || (await readToken(url, terminal)), url);
  await prove(url, token, args, terminal);
  await store.write({ apiUrl: url, tokens: new Map([...stored.tokens, [url, token]]) });
  terminal.out(`Logged in to ${url}. The token is in ${visible(store.path)}, which only you can read.\n`);
  return exitCodes.clean;
}

/** Forgets the token of an API; returns the exit code. */
export async function logout(args: RemoteArguments, terminal: Terminal): Promise<number> {
  const store = createCredentialStore(terminal.env ?? {});
  const known = await readOrRemove(store, terminal);
  if (!known) return exitCodes.clean;
  const { apiUrl, tokens } = known;
  const given = args.apiUrl ?? (terminal.env?.GRAPHLOOM_API_URL || apiUrl);
  const url = given === undefined ? undefined : apiUrlOf(given);
  if (url === undefined || !tokens.has(url)) {
    terminal.out(url === undefined ? "Nobody is logged in.\n" : `Nobody is logged in to ${url}.\n`);
    return exitCodes.clean;
  }
  const rest = new Map([...tokens].filter(([each]) => each !== url));
  await store.write({ ...(apiUrl !== url && { apiUrl }), tokens: rest });
  terminal.out(`Logged out of ${url}: its token is gone from ${visible(store.path)}.\n`);
  return exitCodes.clean;
}

/** An invalid credential store is removed as a whole. */
async function readOrRemove(store: CredentialStore, terminal: Terminal): Promise<Credentials | undefined> {
  try {
    return await store.read();
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    await store.write({ tokens: new Map() });
    terminal.out(`${visible(store.path)} could not be used and is removed, with every token in it.\n`);
    return undefined;
  }
}

/** Prompts for the token, or reads it from standard input when piped. */
async function readToken(url: string, terminal: Terminal): Promise<string | undefined> {
  if (terminal.ask) {
    terminal.err(`Create an API key in the settings of your project, then paste it here; it is not shown.\n`);
    return terminal.ask(`Token for ${url}: `, { hidden: true });
  }
  let text = "";
  const decoder = new TextDecoder();
  for await (const chunk of terminal.stdin ?? []) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > longestInput) break;
  }
  return text;
}

/** Verifies a token: one that the API refuses is not stored. */
async function prove(url: string, token: string, args: RemoteArguments, terminal: Terminal): Promise<void> {
  try {
    await openApi(url, token, args, terminal).checkAccess();
  } catch (error) {
    if (error instanceof ApiProblem) terminal.err("Nothing was stored.\n");
    throw error;
  }
}
