import type { FailableCommand } from "../remote/run-remote.js";
import type { World } from "../world.js";

/** Runs a command that talks to a server; its modules are loaded only then. */
export async function remotely(
  world: World,
  done: (code: number) => void,
  load: () => Promise<FailableCommand>,
): Promise<void> {
  const { runRemote } = await import("../remote/run-remote.js");
  const command = await load();
  done(await runRemote(world, command));
}
