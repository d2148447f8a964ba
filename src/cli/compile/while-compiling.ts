import { StatusLine } from "../terminal/status-line.js";
import type { Terminal } from "../terminal/terminal.js";

/** Milliseconds between two updates of the time. */
const interval = 1_000;

/**
 * Runs a compilation that an interrupt ends at once, and shows the elapsed time on a terminal. An ABI of thousands of
 * events takes a minute. Shows nothing for a short compilation, or when standard error is not a terminal.
 * @param config the path as written on the command line
 */
export async function whileCompiling<Result>(
  config: string,
  compile: () => Promise<Result>,
  terminal: Terminal,
): Promise<Result> {
  terminal.onCompiling?.(true);
  try {
    return await withElapsedTime(config, compile(), terminal);
  } finally {
    terminal.onCompiling?.(false);
  }
}

async function withElapsedTime<Result>(
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
