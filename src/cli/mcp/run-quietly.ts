import type { ToolAnswer } from "../../mcp/tool.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";

/** The longest output of a command that is kept, in characters. */
const longestOutput = 4_000_000;

/** Results that commands report with these codes; with any other code they have failed. */
const answered: readonly number[] = [exitCodes.clean, exitCodes.diagnostics, exitCodes.differs];

/**
 * Runs a command for an agent: it has no input and asks nothing, and what it prints is the answer.
 * @param from whose data it prints
 * @returns what it printed, results before messages
 */
export async function runQuietly(
  from: string,
  place: Terminal,
  signal: AbortSignal,
  command: (terminal: Terminal) => number | Promise<number>,
): Promise<ToolAnswer> {
  const said = { out: "", err: "" };
  const keep = (stream: "out" | "err", text: string): void => {
    said[stream] = (said[stream] + text).slice(0, longestOutput);
  };
  const { cwd, env, within = cwd, trustsDefinitions = false, onWriting, asc } = place;
  const code = await command({
    cwd,
    within,
    trustsDefinitions,
    ...(env && { env }),
    ...(asc && { asc }),
    onWriting,
    color: false,
    out: (text) => keep("out", text),
    err: (text) => keep("err", text),
    passing: () => undefined,
    signal: AbortSignal.any([place.signal, signal]),
  });
  const text = [said.out, said.err].filter((part) => part !== "").join("\n");
  const isAnswered = answered.includes(code) && said.out !== "";
  if (isAnswered || code === exitCodes.clean) return { kind: "data", from, text };
  return { kind: "failed", from, text: text === "" ? "It was interrupted." : text };
}
