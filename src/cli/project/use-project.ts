import { visible } from "../../base/text/visible.js";
import { createCredentialStore } from "../../machine/logins/credentials.js";
import { chooseProject } from "../remote/choose-project.js";
import { openSession, type RemoteArguments } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

export interface UseArguments extends RemoteArguments {
  readonly nameOrId: string;
}

/** Stores the project for later commands, and makes its API the current one; returns the exit code. */
export async function useProject({ nameOrId, ...args }: UseArguments, terminal: Terminal): Promise<number> {
  const environment = terminal.env ?? {};
  const store = createCredentialStore(environment);
  // The project in the environment is not the one to select here.
  const { GRAPHLOOM_PROJECT: overriding, ...env } = environment;
  const { url, token, accounts } = await openSession({ ...args, project: undefined }, { ...terminal, env });
  const stored = await store.read();
  const login = stored.logins.get(url);
  if (login?.token !== token)
    throw new UsageError(
      `The project is stored with a login, and the token in use is not from a login to ${url}. Run graphloom login, or pass the project with --project or GRAPHLOOM_PROJECT.`,
    );
  if (login.kind === "key")
    throw new UsageError(
      `You are logged in to ${url} with an API key, which belongs to one project. Log in with your account: graphloom login`,
    );
  const { id, name } = chooseProject(await accounts.listProjects(), nameOrId);
  const logins = new Map([...stored.logins, [url, { ...login, project: { id, name } }]]);
  await store.write({ apiUrl: url, logins });
  terminal.out(`Commands now use the project ${visible(name)} (${visible(id)}) at ${url}.\n`);
  if (overriding) terminal.err("GRAPHLOOM_PROJECT is set and takes precedence.\n");
  return exitCodes.clean;
}
