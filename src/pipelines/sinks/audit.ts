import type { LedgerEntry } from "../changes/ledger.js";
import type { Changes } from "../changes/net-changes.js";
import type { Shape } from "../definition/shape.js";
import type { KeptLineage } from "../state/lineage-guard.js";
import type { ParkedChange } from "../state/parked-change.js";
import type { WrittenPosition } from "../state/sink-batch.js";
import type { PlannedSinkOf, SinkOwner, SinkWorld } from "./opening.js";
import type { Scratch } from "./scratch.js";

/** The saved state of a sink about a source. */
export interface SourceState {
  readonly position: WrittenPosition;
  /** Entries in order. A range without an entry was written by the sink, which knows nothing else about it. */
  readonly ledger: readonly (LedgerEntry | BlockRange)[];
}

/** The saved state of a sink about its sources, by name. */
export type SourceStates = ReadonlyMap<string, SourceState>;

/** Blocks of a source, or changes of a feed: the first and the last. */
export interface BlockRange {
  readonly from: number;
  readonly to: number;
}

/**
 * How the rows in a sink differ from what they should be. Rows without a key are never altered, but missing and
 * foreign.
 */
export const differenceKinds = ["missing", "altered", "doubled", "foreign"] as const;

export type DifferenceKind = (typeof differenceKinds)[number];

/** A wrong row. */
export interface RowDifference {
  readonly kind: DifferenceKind;
  /** Its table, if it is not the one that the sink writes its rows into. */
  readonly table?: string;
  /** The key, or all columns if rows have none: texts by the names of columns. */
  readonly key: Readonly<Record<string, string | null>>;
  /** The columns of an altered row that differ. */
  readonly columns?: readonly string[];
}

/** What is wrong with the rows of a sink. */
export interface RowDifferences {
  readonly counts: Readonly<Record<DifferenceKind, number>>;
  /** The first of the rows. */
  readonly first: readonly RowDifference[];
  /** Sentences about problems other than rows, such as a damaged file. */
  readonly notes: readonly string[];
  /** Names of files that the sink has not written. They stay, since a user may need them. */
  readonly strays: readonly string[];
}

/** Counts of each kind of difference. */
export function differenceCounts(
  found: readonly (readonly [DifferenceKind, number])[],
): Readonly<Record<DifferenceKind, number>> {
  const counts = { missing: 0, altered: 0, doubled: 0, foreign: 0 };
  for (const [kind, count] of found) counts[kind] += count;
  return counts;
}

/** Joins the differences in two places of a sink. @param most the most rows to list one by one */
export function joinDifferences(one: RowDifferences, other: RowDifferences, most: number): RowDifferences {
  const counts = differenceKinds.map((kind) => [kind, one.counts[kind] + other.counts[kind]] as const);
  return {
    counts: differenceCounts(counts),
    first: [...one.first, ...other.first].slice(0, most),
    notes: [...one.notes, ...other.notes],
    strays: [...one.strays, ...other.strays],
  };
}

/** The rows that a sink holds, to compare with the expected ones. */
export interface StoredRows {
  /**
   * Takes what a range of a source has become for the sink. Ranges of a source come in order.
   * @param agrees whether the ledger agrees with the range
   * @param part the part of the source that the range is of, as positions have it; the source if absent
   */
  expect(source: string, range: BlockRange, changes: Changes, agrees: boolean, part?: string): Promise<void>;
  /** Whether the sink differs from what was expected so far. */
  differs(): Promise<boolean>;
  /**
   * Takes what a later range has become. Rows that it changes are no longer expected to be as earlier ranges left
   * them.
   */
  overtake(changes: Changes): Promise<void>;
  /**
   * Compares, and repairs if the audit may. Called once, after `hold`.
   * @param isWhole whether all ranges were given, so that every other row is foreign
   * @returns `undefined` if rows cannot be read back
   */
  finish(isWhole: boolean): Promise<RowDifferences | undefined>;
}

/** A sink open for an audit. */
export interface SinkAudit {
  /** The current state of the sink. */
  states(): Promise<SourceStates>;
  /** The saved lineage of the sink, whatever columns its rows had. */
  lineage(): Promise<KeptLineage>;
  /** Locks the sink against other writers until the audit ends. */
  hold(): Promise<void>;
  /** Replaces the entry of a range. */
  correct(source: string, entry: LedgerEntry): Promise<void>;
  /** Missing if rows cannot be read back. @throws SinkError if they cannot be compared */
  rows?(): Promise<StoredRows>;
  /** Sentences about what cannot be compared. */
  readonly unproved?: readonly string[];
  /** The parked changes of the sink, including dropped ones. Missing if it does not park. */
  parked?(): Promise<readonly ParkedChange[]>;
}

/** What audits of sinks need from outside. */
export interface AuditedWorld extends SinkWorld {
  /** Opens disk space for what does not fit into memory. */
  openScratch(): Promise<Scratch>;
}

/** What an audit may do. */
export interface AuditOptions {
  /** Whether to repair; otherwise it writes nothing. */
  readonly mends: boolean;
  /** The most rows to list one by one. */
  readonly most: number;
  /** Whether the state may belong to rows with other columns. Only `lineage` is called then. */
  readonly anyColumns?: boolean;
}

/**
 * Opens a sink for the duration of some work. Repairs stay if the work succeeds.
 * @throws SinkError, and what the work throws
 */
export type AuditSink<S extends Shape> = <Result>(
  planned: PlannedSinkOf<S>,
  owner: SinkOwner,
  world: AuditedWorld,
  options: AuditOptions,
  work: (audit: SinkAudit) => Promise<Result>,
) => Promise<Result>;
