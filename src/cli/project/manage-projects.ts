import { longestName } from "../../api/account-operations.js";
import { visible } from "../../base/text/visible.js";
import { printJson } from "../remote/print-json.js";
import { noProject, openSession, projectOf, type RemoteArguments } from "../remote/session.js";
import { makeChange } from "../subgraph/make-change.js";
import { printRows } from "../subgraph/print-rows.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import type { OutputArguments } from "../terminal/usage/options.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Arguments of a command that names a project. */
export interface NameArguments extends RemoteArguments {
  readonly name: string;
}

/** Lists the person's projects; returns the exit code. */
export async function listProjects(
  args: RemoteArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  const { accounts, project } = await openSession(args, terminal);
  const projects = await accounts.listProjects();
  // If none is selected, the server uses the first one.
  const used = project?.id ?? projects[0]?.id;
  printRows(
    projects.map(({ id, name, role }) => ({ id, name, role, used: id === used })),
    [
      { title: "PROJECT", cell: ({ name }) => name, mayShrink: true },
      { title: "ID", cell: ({ id }) => id },
      { title: "YOUR ROLE", cell: ({ role }) => role },
      { title: "USED", cell: (each) => (each.used ? "yes" : "") },
    ],
    { ...args, empty: noProject },
    terminal,
  );
  return exitCodes.clean;
}

/** Creates a project; returns the exit code. */
export async function createProject(
  args: NameArguments & OutputArguments,
  terminal: Terminal,
): Promise<number> {
  const wanted = nameIn(args);
  const { accounts } = await openSession(args, terminal);
  const { id, name, role } = await makeChange({
    claim: `the project ${wanted} was created`,
    make: () => accounts.createProject(wanted),
    // A project with that name may have existed before, so only the user can tell.
    look: () => Promise.reject(new Error("nothing tells")),
    advice: "Check whether it exists: graphloom project list",
  });
  if (args.output === "json") {
    printJson({ id, name, role }, terminal);
    return exitCodes.clean;
  }
  terminal.out(
    `Created the project ${visible(name)} (${visible(id)}). To use it: graphloom project use ${visible(id)}\n`,
  );
  return exitCodes.clean;
}

/** Renames the project; returns the exit code. */
export async function updateProject(args: NameArguments, terminal: Terminal): Promise<number> {
  const wanted = nameIn(args);
  const session = await openSession(args, terminal);
  const { id } = await projectOf(session);
  const { name } = await makeChange({
    claim: `the project ${id} was renamed`,
    make: () => session.accounts.renameProject(id, wanted),
    look: async () => {
      const answer = (await session.accounts.listProjects()).find((each) => each.id === id);
      return answer?.name === wanted ? { answer } : undefined;
    },
    advice: "Check its name: graphloom project list",
  });
  terminal.out(`The project ${visible(id)} is now called ${visible(name)}.\n`);
  return exitCodes.clean;
}

/** @throws UsageError */
function nameIn({ name: given }: NameArguments): string {
  const name = given.trim();
  if (name === "") throw new UsageError("A project's name must not be blank.");
  if (name.length > longestName)
    throw new UsageError(
      `A project's name has at most ${longestName} characters; this one has ${name.length}.`,
    );
  return name;
}
