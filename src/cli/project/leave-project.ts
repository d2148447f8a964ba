import type { EndedMembership } from "../../api/account-operations.js";
import { visible } from "../../base/text/visible.js";
import { createCredentialStore } from "../../machine/logins/credentials.js";
import { chooseProject } from "../remote/choose-project.js";
import { openSession, type RemoteArguments, type Session } from "../remote/session.js";
import { confirmAtTerminal, declined } from "../subgraph/confirm.js";
import { made, makeChange } from "../subgraph/make-change.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { revokedText } from "./revoked-text.js";

export interface LeaveArguments extends RemoteArguments {
  readonly projectId: string;
  readonly force: boolean;
}

/** Leaves a project and deselects it; returns the exit code. */
export async function leaveProject(args: LeaveArguments, terminal: Terminal): Promise<number> {
  const session = await openSession(args, terminal);
  const { accounts } = session;
  const { id, name } = chooseProject(await accounts.listProjects(), args.projectId);
  const what = `Leave the project ${visible(name)} (${visible(id)})? To come back, you will need an invitation.`;
  if (!(await confirmAtTerminal(what, args.force, terminal))) return declined(terminal);
  const ended = await makeChange<EndedMembership | undefined>({
    claim: `you left the project ${id}`,
    make: () => accounts.leaveProject(id),
    look: async () => ((await accounts.listProjects()).some((each) => each.id === id) ? undefined : made),
    advice: "Check whether you are still in it: graphloom project list",
  });
  terminal.out(`You left the project ${visible(name)}.${revokedText(ended, "you")}\n`);
  await useAnother(session, id, terminal);
  return exitCodes.clean;
}

/** Selects a different project for later commands if the selected one was left. */
async function useAnother(
  { url, token, accounts }: Session,
  left: string,
  terminal: Terminal,
): Promise<void> {
  const store = createCredentialStore(terminal.env ?? {});
  const stored = await store.read();
  const login = stored.logins.get(url);
  if (login?.token !== token || login.project?.id !== left) return;
  const { project: _, ...rest } = login;
  const [next] = await accounts.listProjects();
  const chosen = next && { id: next.id, name: next.name };
  const logins = new Map([...stored.logins, [url, { ...rest, ...(chosen && { project: chosen }) }]]);
  await store.write({ ...stored, logins });
  if (next) terminal.out(`Commands now use the project ${visible(next.name)} (${visible(next.id)}).\n`);
}
