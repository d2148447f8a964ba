import type { Load } from "../terminal/command.js";

/** Wraps a command to report server failures. The reporting code is loaded with the command. */
export function remotely<Arguments>(load: Load<Arguments>): Load<Arguments> {
  return async () => {
    const [{ runRemote }, handler] = await Promise.all([import("./run-remote.js"), load()]);
    return (args, terminal) => runRemote(terminal, async () => handler(args, terminal));
  };
}
