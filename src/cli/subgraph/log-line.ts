import type { LogEntry } from "../../api/contract.js";
import { visible, visibleJson } from "../../base/text/visible.js";
import { colored, type TextRole } from "../../compiler/diagnostics/paint.js";
import { levelOf } from "./log-selection.js";
import { millisecondsOf } from "./log-time.js";

const roles: Readonly<Record<string, TextRole>> = {
  error: "error",
  warn: "warning",
  info: "note",
  debug: "frame",
};

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
