#!/usr/bin/env node
import { openSync, readFileSync } from "node:fs";
import { WriteStream } from "node:tty";
import { createAsk } from "./terminal/ask.js";
import { bugReport } from "./terminal/bug-report.js";
import { exitCodes } from "./terminal/exit-codes.js";
import { type OutputLoss, printTo } from "./terminal/output.js";
import { loadPrompts } from "./terminal/prompts/load-prompts.js";
import { promptStream } from "./terminal/prompts/prompt-stream.js";
import { screensOf } from "./terminal/screen.js";
import { systemTrouble } from "./terminal/system-trouble.js";
import type { Terminal } from "./terminal/terminal.js";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const interrupt = new AbortController();
let isWriting = false;
let isServed = false;
/** The number of running compilations. */
let compiling = 0;
/** The exit code, once standard output is lost. */
let lost: number | undefined;

function onInterrupt(): void {
  interrupt.abort();
  // While files are being written, a chain is running or a deployment is in progress, the interrupt waits for a
  // clean end.
  if (!isWriting) process.exit(exitCodes.interrupted);
}

/** Ends the command once no process reads its output. */
function onLoss({ text, code }: OutputLoss): void {
  lost = code;
  err(text);
  interrupt.abort();
  if (!isWriting) process.exit(code);
}

// A lost standard error does not end the command.
const err = printTo(process.stderr, () => undefined);

const openTerminal = (): WriteStream => new WriteStream(openSync("/dev/tty", "w"));
const ask: Terminal["ask"] = (question, options) =>
  createAsk(process.stdin, promptStream(process.stderr, openTerminal), onInterrupt)(question, options);
const prompts = loadPrompts(async () => {
  const { clackPrompts } = await import("./terminal/prompts/clack-prompts.js");
  const output = promptStream(process.stderr, openTerminal) as WriteStream;
  return clackPrompts({ input: process.stdin, output, signal: interrupt.signal }, onInterrupt);
});

const openScreen = screensOf({
  input: process.stdin,
  output: process.stdout,
  onExit: (restore) => {
    // Closing the terminal sends this signal, which would end the process at once.
    const hangUp = (): void => process.exit(exitCodes.interrupted);
    process.on("exit", restore).on("SIGHUP", hangUp);
    return () => process.off("exit", restore).off("SIGHUP", hangUp);
  },
});

/**
 * Listens for signals, except during a compilation with nothing to clean up. The compiler blocks the event loop, and
 * then only a process without handlers ends at once.
 */
function listen(): void {
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.off(signal, onInterrupt);
    if (compiling === 0 || isWriting || interrupt.signal.aborted) process.on(signal, onInterrupt);
  }
}

listen();

/** Ends a command after an uncaught failure: in an event handler, or in work that nothing waits for. */
process.on("uncaughtException", (error) => {
  const trouble = systemTrouble(error);
  err(trouble ?? bugReport(error, version));
  process.exit(trouble === undefined ? exitCodes.internal : exitCodes.remote);
});

const terminal: Terminal = {
  cwd: process.cwd(),
  stdin: process.stdin,
  ...(process.stdin.isTTY ? { ask } : {}),
  // A terminal that cannot move its cursor cannot show a list of choices.
  ...(process.stdin.isTTY && process.env.TERM !== "dumb" ? { prompts } : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY && process.env.TERM !== "dumb" ? { openScreen } : {}),
  out: printTo(process.stdout, onLoss),
  err,
  color: process.stderr.isTTY === true && !process.env.NO_COLOR,
  outColor: process.stdout.isTTY === true,
  isTty: process.stderr.isTTY === true,
  // Some terminals report 0 columns.
  columns: process.stdout.columns || process.stderr.columns || undefined,
  env: process.env,
  onWriting: (writing) => {
    isWriting = writing;
    listen();
  },
  onCompiling: (isCompiling) => {
    compiling += isCompiling ? 1 : -1;
    listen();
  },
  onServed: () => {
    isServed = true;
  },
  signal: interrupt.signal,
};

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
  // A fast path for scripts that loads nothing else.
  terminal.out(`${version}\n`);
} else {
  const begun = Date.now();
  try {
    const { commandPaths: paths, run } = await import("./program.js");
    const code = await run(args, version, terminal);
    process.exitCode = code;
    // A pipe that stays open must not keep the process alive after reading has stopped.
    if ("unref" in process.stdin) process.stdin.unref();
    if (!interrupt.signal.aborted) {
      const { reportRun } = await import("./telemetry/report-run.js");
      await reportRun(
        { argv: args, code, milliseconds: Date.now() - begun },
        { version, paths },
        process.env,
      );
    }
  } catch (error) {
    // Modules loaded late may also fail because no more files can be opened, or because of a disk.
    const trouble = systemTrouble(error);
    if (trouble === undefined) throw error;
    err(trouble);
    process.exitCode = exitCodes.remote;
  }
  if (lost !== undefined) process.exitCode = lost;
  else if (interrupt.signal.aborted && !isServed) process.exitCode = exitCodes.interrupted;
}
