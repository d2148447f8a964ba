import { createAccountsApi } from "../../api/accounts-api.js";
import { ApiProblem } from "../../api/answers/problem.js";
import { visible } from "../../base/text/visible.js";
import {
  type CredentialStore,
  CredentialsError,
  createCredentialStore,
} from "../../machine/logins/credentials.js";
import type { Login, StoredLogins } from "../../machine/logins/stored-logins.js";
import { explainFailure } from "../remote/run-remote.js";
import { apiUrlOf, connectionTo, type RemoteArguments } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

/** Deletes the token of an API, and asks the server to revoke it if it is a person's; returns the exit code. */
export async function logout(args: RemoteArguments, terminal: Terminal): Promise<number> {
  const store = createCredentialStore(terminal.env ?? {});
  const known = await readOrRemove(store, terminal);
  if (!known) return exitCodes.clean;
  const { apiUrl, logins } = known;
  const given = args.apiUrl ?? (terminal.env?.GRAPHLOOM_API_URL || apiUrl);
  const url = given === undefined ? undefined : apiUrlOf(given);
  const login = url === undefined ? undefined : logins.get(url);
  if (url === undefined || !login) {
    terminal.out(url === undefined ? "You are not logged in.\n" : `You are not logged in to ${url}.\n`);
    return exitCodes.clean;
  }
  const problem = await end(url, login, args, terminal);
  const rest = new Map([...logins].filter(([each]) => each !== url));
  await store.write({ ...(apiUrl !== url && { apiUrl }), logins: rest });
  terminal.out(`Logged out of ${url} and deleted its token from ${visible(store.path)}.\n`);
  if (problem === undefined) return exitCodes.clean;
  terminal.err(
    `The server did not revoke the token, so a copy stays valid for up to 30 days. Changing your password revokes it, too. The reason:\n${problem}`,
  );
  return exitCodes.remote;
}

/** Reads the credential store, or removes it as a whole if it is invalid. */
async function readOrRemove(store: CredentialStore, terminal: Terminal): Promise<StoredLogins | undefined> {
  try {
    return await store.read();
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    await store.write({ logins: new Map() });
    terminal.out(`${visible(store.path)} was unusable, so it was removed with every token in it.\n`);
    return undefined;
  }
}

/** Revokes a person's token, but not a key, which others may use too. @returns why that failed, in whole lines */
async function end(
  url: string,
  { token, kind }: Login,
  args: RemoteArguments,
  terminal: Terminal,
): Promise<string | undefined> {
  if (kind === "key") return undefined;
  try {
    await createAccountsApi(connectionTo(url, token, args, terminal)).endToken();
    return undefined;
  } catch (error) {
    // It had already expired.
    if (error instanceof ApiProblem && error.status === 401) return undefined;
    const failure = explainFailure(error);
    if (!failure || terminal.signal.aborted) throw error;
    return failure.text;
  }
}
