import type { Terminal } from "../terminal/terminal.js";
import type { FailableCommand } from "./run-remote.js";

/** Runs a command that talks to a server; its modules are loaded only then. */
export async function remotely(
  terminal: Terminal,
  done: (code: number) => void,
  load: () => Promise<FailableCommand>,
): Promise<void> {
  const { runRemote } = await import("./run-remote.js");
  const command = await load();
  done(await runRemote(terminal, command));
}
