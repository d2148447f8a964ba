import { ApiProblem } from "../../api/answers/problem.js";
import type { LogEntry } from "../../api/contract.js";
import { visible, visibleJson } from "../../base/text/visible.js";
import { colored, type TextRole } from "../../compiler/diagnostics/paint.js";
import { pause } from "../../machine/world.js";
import { HttpError } from "../../web/http/http-error.js";
import { explainFailure } from "../remote/run-remote.js";
import { openSession } from "../remote/session.js";
import { exitCodes } from "../terminal/exit-codes.js";
import type { Terminal } from "../terminal/terminal.js";
import { isWanted, type LogArguments, levelOf, logSelection } from "./log-selection.js";
import { LogTail } from "./log-tail.js";
import { millisecondsOf } from "./log-time.js";
import { findOnServer, sharingNote } from "./shared-deployment.js";
import { subgraphVersion } from "./subgraph-version.js";

const roles: Readonly<Record<string, TextRole>> = {
  error: "error",
  warn: "warning",
  info: "note",
  debug: "frame",
};

/** Prints the log of a subgraph as it grows, until interrupted; returns the exit code. */
export async function followLog(args: LogArguments, terminal: Terminal): Promise<number> {
  const subgraph = subgraphVersion(args.nameAndVersion);
  const selection = logSelection(args, Date.now());
  const { api } = await openSession(args, terminal);
  const tail = new LogTail(api, subgraph, selection);
  const look = (isFirst: boolean): Promise<readonly LogEntry[]> =>
    args.follow ? lookOrNothing(tail, isFirst, terminal) : tail.next();
  const first = await look(true);
  const { sharing } = await findOnServer(api, subgraph);
  if (sharing.length > 0) terminal.err(`${sharingNote(subgraph, sharing)} and its log.\n`);
  if (first.length === 0 && args.since !== "now") {
    terminal.err(`Nothing was logged in the last ${args.since}. Look further back with --since 1d\n`);
  }
  for (let entries = first; ; entries = await look(false)) {
    for (const entry of entries) {
      if (isWanted(entry, selection)) terminal.out(logLine(entry, args.format, isColored(args, terminal)));
    }
    if (tail.isBehind && entries.length > 0) continue;
    if (!args.follow) return exitCodes.clean;
    await pause(args.interval * 1000, terminal.signal);
    if (terminal.signal.aborted) return exitCodes.interrupted;
  }
}

function isColored({ color }: LogArguments, { color: errColor, outColor }: Terminal): boolean {
  return color && errColor && outColor === true;
}

/**
 * An unreachable or overloaded server must not end a running watch. An error of the very first request is
 * permanent, unless the server only asks to wait.
 */
async function lookOrNothing(
  tail: LogTail,
  isFirst: boolean,
  terminal: Terminal,
): Promise<readonly LogEntry[]> {
  try {
    return await tail.next();
  } catch (error) {
    const mayPass = isFirst ? isToWait(error) : isToWait(error) || isTrouble(error);
    if (!mayPass || terminal.signal.aborted) throw error;
    terminal.err(explainFailure(error)?.text ?? "");
    if (error instanceof ApiProblem) await pause(error.retryAfter ?? 0, terminal.signal);
    return [];
  }
}

function isToWait(error: unknown): boolean {
  return error instanceof ApiProblem && error.status === 429;
}

function isTrouble(error: unknown): boolean {
  return error instanceof HttpError || (error instanceof ApiProblem && error.status >= 500);
}

/**
 * Formats an entry as whole lines: `text` and `json` take one line, `pretty` keeps the line breaks of the
 * message and may be coloured.
 */
export function logLine(entry: LogEntry, format: "pretty" | "json" | "text", isColored: boolean): string {
  const time = timeOf(entry.timestamp);
  const level = levelOf(entry.level);
  if (format === "json") return `${visibleJson(JSON.stringify({ time, level, text: entry.text }))}\n`;
  if (format === "text") return `${time} ${visible(level).padEnd(5)} ${visible(entry.text)}\n`;
  const role = Object.hasOwn(roles, level) ? roles[level] : undefined;
  const word = visible(level.toUpperCase()).padEnd(5);
  const head = `${time.slice(11, 19)} ${isColored && role ? colored(role, word) : word} `;
  const blanks = " ".repeat("hh:mm:ss LEVEL ".length);
  const lines = entry.text.split(/\r?\n/).map(visible);
  return `${head}${lines.join(`\n${blanks}`)}\n`;
}

function timeOf(timestamp: number): string {
  const date = new Date(millisecondsOf(timestamp));
  return Number.isNaN(date.getTime()) ? String(timestamp) : date.toISOString();
}
