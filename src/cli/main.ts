#!/usr/bin/env node
import { openSync, readFileSync } from "node:fs";
import { WriteStream } from "node:tty";
import { createAsk } from "./terminal/ask.js";
import { exitCodes } from "./terminal/exit-codes.js";
import { type OutputLoss, printTo } from "./terminal/output.js";
import { promptStream } from "./terminal/prompt-stream.js";
import type { Terminal } from "./terminal/terminal.js";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as {
  version: string;
};

const interrupt = new AbortController();
let isWriting = false;
/** The exit code, once nothing can be printed any more. */
let lost: number | undefined;

function onInterrupt(): void {
  interrupt.abort();
  // While files are being written, a chain is run or something is deployed, that comes to a clean end first.
  if (!isWriting) process.exit(exitCodes.interrupted);
}

/** Results that nobody gets need no more work. */
function onLoss({ text, code }: OutputLoss): void {
  lost = code;
  err(text);
  interrupt.abort();
  if (!isWriting) process.exit(code);
}

// What happens goes on without anybody being told.
const err = printTo(process.stderr, () => undefined);

const openTerminal = (): WriteStream => new WriteStream(openSync("/dev/tty", "w"));
const ask: Terminal["ask"] = (question, options) =>
  createAsk(process.stdin, promptStream(process.stderr, openTerminal), onInterrupt)(question, options);

for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, onInterrupt);

const terminal: Terminal = {
  cwd: process.cwd(),
  stdin: process.stdin,
  ...(process.stdin.isTTY ? { ask } : {}),
  out: printTo(process.stdout, onLoss),
  err,
  color: process.stderr.isTTY === true && !process.env.NO_COLOR,
  outColor: process.stdout.isTTY === true,
  isTty: process.stderr.isTTY === true,
  // Some terminals say 0.
  columns: process.stdout.columns || process.stderr.columns || undefined,
  env: process.env,
  onWriting: (writing) => {
    isWriting = writing;
  },
  signal: interrupt.signal,
};

const args = process.argv.slice(2);
if (args.length === 1 && (args[0] === "--version" || args[0] === "-v")) {
  // Asked for by scripts, which should not wait for everything else to be loaded.
  terminal.out(`${version}\n`);
} else {
  const { run } = await import("./program.js");
  process.exitCode = await run(args, version, terminal);
  if (lost !== undefined) process.exitCode = lost;
  else if (interrupt.signal.aborted) process.exitCode = exitCodes.interrupted;
}
