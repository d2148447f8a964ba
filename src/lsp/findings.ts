import { pathToFileURL } from "node:url";
import {
  type CodeAction,
  CodeActionKind,
  DiagnosticSeverity,
  type Diagnostic as LspDiagnostic,
  type Range,
  type TextEdit,
} from "vscode-languageserver";
import { visible } from "../base/text/visible.js";
import type { Diagnostic, Severity } from "../compiler/diagnostics/diagnostic.js";
import { messageLines } from "../compiler/diagnostics/message-lines.js";
import { applyFixes } from "../compiler/fix/apply-fixes.js";
import { type Location, positionAt, type Source } from "../compiler/source/source.js";

const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  note: DiagnosticSeverity.Information,
};

/** Positions count from 0 in the protocol, and UTF-16 units as ours do. */
export function rangeOf({ source, start, end }: Pick<Location, "source" | "start" | "end">): Range {
  const at = (offset: number): Range["start"] => {
    const { line, column } = positionAt(source, offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: at(start), end: at(end) };
}

/** A diagnostic in the protocol's form. One without a place is shown at the beginning. */
export function shownDiagnostic(diagnostic: Diagnostic): LspDiagnostic {
  const { at, severity, code, related } = diagnostic;
  return {
    range: at ? rangeOf(at) : { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } },
    severity: severities[severity],
    source: "graphloom",
    code,
    message: messageLines(diagnostic).join("\n"),
    ...(related.length > 0 && {
      relatedInformation: related.map((other) => ({
        location: { uri: uriOf(other.at.source.path), range: rangeOf(other.at) },
        message: visible(other.text),
      })),
    }),
  };
}

/** @param path absolute */
export function uriOf(path: string): string {
  return pathToFileURL(path).href;
}

/**
 * The fixes of diagnostics, each as an action, and all of them as another one.
 * @param source the text of the document
 * @param asked the range for which the client asks
 * @param found what was found in this text
 */
export function fixesAt(
  uri: string,
  source: Source,
  asked: Range,
  found: readonly Diagnostic[],
): CodeAction[] {
  const own = found.filter(({ at, fix }) => fix !== undefined && at?.source.path === source.path);
  const actions = own
    .filter(({ at }) => at !== undefined && meet(rangeOf(at), asked))
    .flatMap((diagnostic) => {
      const edits = editsOf(source, [diagnostic]);
      if (edits.length === 0) return [];
      const title = diagnostic.hint ?? `fix: ${diagnostic.message}`;
      return [
        {
          title: visible(title.charAt(0).toUpperCase() + title.slice(1)),
          kind: CodeActionKind.QuickFix,
          diagnostics: [shownDiagnostic(diagnostic)],
          isPreferred: true,
          edit: { changes: { [uri]: edits } },
        },
      ];
    });
  const all = editsOf(source, own);
  if (all.length === 0) return actions;
  const whole = {
    title: "Apply all certain fixes",
    kind: CodeActionKind.SourceFixAll,
    edit: { changes: { [uri]: all } },
  };
  return [...actions, whole];
}

/** The edits that apply the fixes of diagnostics; none if they cannot be proved to change nothing else. */
function editsOf(source: Source, diagnostics: readonly Diagnostic[]): TextEdit[] {
  const { splices, applied } = applyFixes(source, diagnostics);
  if (applied.length === 0) return [];
  return splices.map(({ start, end, text }) => ({ range: rangeOf({ source, start, end }), newText: text }));
}

function meet(one: Range, other: Range): boolean {
  return !isBefore(one.end, other.start) && !isBefore(other.end, one.start);
}

function isBefore(one: Range["start"], other: Range["start"]): boolean {
  return one.line < other.line || (one.line === other.line && one.character < other.character);
}
