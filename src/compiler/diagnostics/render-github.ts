import { visible } from "../../base/text/visible.js";
import { type Location, positionAt } from "../source/source.js";
import type { Diagnostic } from "./diagnostic.js";
import { messageLines } from "./message-lines.js";

const commands = { error: "error", warning: "warning", note: "notice" } as const;

/** Renders diagnostics as workflow commands, one per line, which GitHub shows as annotations. */
export function renderGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((diagnostic) => `${command(diagnostic)}\n`).join("");
}

function command(diagnostic: Diagnostic): string {
  const { at, severity, code, related } = diagnostic;
  const properties = [...(at ? placeProperties(at) : []), ["title", code] as const];
  const others = related.map((other) => `${placeText(other.at)}: ${other.text}`);
  const given = properties.map(([name, value]) => `${name}=${escapeProperty(String(value))}`).join(",");
  return `::${commands[severity]} ${given}::${escapeData(messageLines(diagnostic, others).join("\n"))}`;
}

/** GitHub accepts an end column only within a single line. */
function placeProperties({ source, start, end }: Location): (readonly [string, string | number])[] {
  const first = positionAt(source, start);
  const last = positionAt(source, end);
  return [
    ["file", visible(source.path)],
    ["line", first.line],
    ["col", first.column],
    first.line === last.line ? ["endColumn", last.column] : ["endLine", last.line],
  ];
}

function placeText({ source, start }: Location): string {
  const { line, column } = positionAt(source, start);
  return `${source.path}:${line}:${column}`;
}

function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

function escapeProperty(text: string): string {
  return escapeData(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
