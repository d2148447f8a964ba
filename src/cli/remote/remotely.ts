import type { Load } from "../terminal/command.js";

/** Has a command say what went wrong with servers; what knows that is loaded with the command. */
export function remotely<Arguments>(load: Load<Arguments>): Load<Arguments> {
  return async () => {
    const [{ runRemote }, handler] = await Promise.all([import("./run-remote.js"), load()]);
    return (args, terminal) => runRemote(terminal, async () => handler(args, terminal));
  };
}
