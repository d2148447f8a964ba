import { visibleJson } from "../../base/text/visible.js";
import { type Location, positionAt } from "../source/source.js";
import type { Code } from "./catalog.js";
import { countSeverities, type SeverityCounts } from "./count-severities.js";
import type { Diagnostic, Severity } from "./diagnostic.js";

/** The document of `renderJson`. Every member is always present; its shape only changes with `version`. */
export interface JsonReport {
  readonly version: 1;
  /** Ordered by source and position. */
  readonly diagnostics: readonly JsonDiagnostic[];
  readonly counts: SeverityCounts;
}

/** A diagnostic. Members without a value, such as the position in a missing file, are null. */
export interface JsonDiagnostic extends JsonPlace {
  readonly code: Code;
  readonly severity: Severity;
  readonly message: string;
  /** Why the location is wrong, in a few words. */
  readonly label: string | null;
  readonly related: readonly (JsonPlace & { readonly text: string })[];
  readonly notes: readonly string[];
  readonly hint: string | null;
  /** Whether `graphloom check --fix` applies the hint. */
  readonly fixable: boolean;
}

export interface JsonPlace {
  /** Path as given on the command line or in the configuration; `<stdin>` for standard input. */
  readonly file: string | null;
  /** RFC 6901 pointer of the value; empty for the whole document. */
  readonly pointer: string | null;
  readonly start: JsonPosition | null;
  /** One past the last character. */
  readonly end: JsonPosition | null;
}

/**
 * Lines and columns count from 1, offsets from 0. Columns and offsets count UTF-16 units, as editors do, and ignore a
 * byte order mark.
 */
export interface JsonPosition {
  readonly line: number;
  readonly column: number;
  readonly offset: number;
}

export function renderJson(diagnostics: readonly Diagnostic[]): string {
  const report: JsonReport = {
    version: 1,
    diagnostics: diagnostics.map(jsonOf),
    counts: countSeverities(diagnostics),
  };
  return `${visibleJson(JSON.stringify(report, null, 2))}\n`;
}

function jsonOf({
  code,
  severity,
  message,
  at,
  label,
  related,
  notes,
  hint,
  fix,
}: Diagnostic): JsonDiagnostic {
  return {
    code,
    severity,
    message,
    ...jsonPlace(at),
    label: label ?? null,
    related: related.map((other) => ({ text: other.text, ...jsonPlace(other.at) })),
    notes,
    hint: hint ?? null,
    fixable: fix !== undefined,
  };
}

function jsonPlace(at: Location | undefined): JsonPlace {
  if (!at) return { file: null, pointer: null, start: null, end: null };
  const position = (offset: number): JsonPosition => ({ ...positionAt(at.source, offset), offset });
  return { file: at.source.path, pointer: at.pointer, start: position(at.start), end: position(at.end) };
}
