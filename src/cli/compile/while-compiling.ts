import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";

/** Milliseconds. */
const interval = 1_000;

/**
 * Compiles, so that an interrupt ends it at once, and shows on a terminal that it is in progress: an ABI of thousands of
 * events takes a minute. Nothing is shown for a short one, or where standard error is no terminal.
 * @param config as the command line names it
 */
export async function whileCompiling<Result>(
  config: string,
  compile: () => Promise<Result>,
  terminal: Terminal,
): Promise<Result> {
  terminal.onCompiling?.(true);
  try {
    return await shown(config, compile(), terminal);
  } finally {
    terminal.onCompiling?.(false);
  }
}

async function shown<Result>(
  config: string,
  compilation: Promise<Result>,
  terminal: Terminal,
): Promise<Result> {
  if (!terminal.isTty) return compilation;
  const line = new StatusLine(terminal, () => performance.now());
  const name = config === "-" ? "<stdin>" : config;
  const since = performance.now();
  const timer = setInterval(() => {
    line.show((now) => `compiling ${name}: ${Math.round((now - since) / 1000)} s`);
  }, interval);
  try {
    return await compilation;
  } finally {
    clearInterval(timer);
    line.end();
  }
}
