import type { SinkFindings, SourceFindings } from "../audit/audit-sink.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { RowDifferences } from "../sinks/audit.js";
import { type ParkedDocument, parkedDocument } from "../sinks/parking/parked-document.js";
import { isPassing } from "./known-error.js";

/** The findings about a sink, as a document for other programs. */
export interface FoundDocument {
  readonly sink: string;
  readonly type: string;
  /** Whether it keeps a ledger. */
  readonly ledger: boolean;
  readonly sources: readonly SourceFindings[];
  /** Sentences about what could not be compared. */
  readonly unproved: readonly string[];
  /** Null if its rows cannot be read back. */
  readonly rows: (RowDifferences & { readonly whole: boolean }) | null;
  readonly parked: readonly ParkedDocument[];
}

/** Why a sink could not be compared. */
export interface FailedDocument {
  readonly sink: string;
  readonly type: string;
  readonly error: string;
  /** Whether another attempt may succeed. */
  readonly temporary: boolean;
}

/** The outcome of auditing a sink. */
export type SinkDocument = FoundDocument | FailedDocument;

/** The outcome of auditing a sink, as a document. @param outcome the findings, or why it could not be audited */
export function sinkDocument(
  { name, definition, schema }: PlannedSink,
  outcome: SinkFindings | Error,
): SinkDocument {
  const sink = { sink: name, type: definition.type };
  if (outcome instanceof Error) return { ...sink, error: outcome.message, temporary: isPassing(outcome) };
  const { isKept, sources, rows, isWhole, unproved, parked } = outcome;
  return {
    ...sink,
    ledger: isKept,
    sources,
    unproved,
    rows: rows ? { ...rows, whole: isWhole } : null,
    parked: parked.map((change) => parkedDocument(change, schema)),
  };
}
