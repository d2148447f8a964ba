import type { World } from "../../base/world.js";
import type { Terminal } from "../terminal/terminal.js";
import { UsageError } from "../terminal/usage/usage-error.js";

/** Limit of the input in characters, far above any token. */
const longestInput = 65_536;

/** Milliseconds to wait for piped input. */
const patience = 30_000;

/** Prompts for an API key of the project. @returns `undefined` at the end of input */
export async function askForToken(url: string, terminal: Terminal): Promise<string | undefined> {
  terminal.err(`Create an API key in the settings of your project, then paste it here. It is not shown.\n`);
  return terminal.ask?.(`API key for ${url}: `, { hidden: true });
}

const nothing =
  "No token: nothing was piped in, and this is not a terminal. Run graphloom login in a terminal, pipe an API key into it, or pass a token with --token.";

/**
 * Reads piped input to its end.
 * @throws UsageError when it is empty, or nothing arrives for half a minute: there is neither a terminal nor a pipe
 */
export async function readPipedToken(
  { stdin }: Pick<Terminal, "stdin">,
  world: Pick<World, "timeout">,
): Promise<string> {
  if (!stdin) throw new UsageError(nothing);
  const chunks = stdin[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
  let text = "";
  let next = await inTime(chunks.next(), world.timeout(patience));
  while (next.done !== true && text.length <= longestInput) {
    text += decoder.decode(next.value, { stream: true });
    next = await chunks.next();
  }
  if (text.trim() === "") throw new UsageError(nothing);
  return text;
}

function inTime<Value>(value: Promise<Value>, limit: AbortSignal): Promise<Value> {
  return new Promise((resolve, reject) => {
    const fail = (): void => reject(new UsageError(nothing));
    limit.addEventListener("abort", fail, { once: true });
    value.then(resolve, reject).finally(() => limit.removeEventListener("abort", fail));
  });
}
