import { isEmpty } from "../changes/delta.js";
import { joined } from "../changes/kept-ledger.js";
import { type LedgerEntry, ledgerEntry } from "../changes/ledger.js";
import type { Changes } from "../changes/net-changes.js";
import type { PlannedSink } from "../plan/pipeline-plan.js";
import type { Program } from "../runner/program.js";
import type { SourceState } from "../sinks/audit.js";
import { sinkChanges } from "../sinks/sink-changes.js";
import type { ContentsScope, SourceContents } from "../sources/source-contents.js";

/** The rows that a source should have produced for a sink at its position, and the ledger's entry for them. */
export interface ReadContents extends ContentsScope {
  /** The ledger's range, and its current content. */
  readonly found: LedgerEntry;
  /** All entries of the ledger as one; `undefined` if it has gaps. */
  readonly recorded: LedgerEntry | undefined;
  /** Entries of the ledger. */
  readonly entries: number;
}

/**
 * Reads the rows that a source should have produced for a sink.
 * @param take receives them, part by part
 * @throws QueryError, and errors of sources
 */
export async function readContents(
  source: string,
  contents: SourceContents,
  { position, ledger }: SourceState,
  { program, sink }: { readonly program: Program; readonly sink: PlannedSink },
  take: (changes: Changes) => Promise<void>,
): Promise<ReadContents> {
  const [from, to] = [ledger[0]?.from ?? position.next, position.next - 1];
  let found: LedgerEntry = { from, to, rows: 0, sum: 0n };
  const scope = await contents.read(position.next, async (part) => {
    if (isEmpty(part)) return;
    const made = await program.apply(source, part);
    found = { ...joined(found, ledgerEntry(from, to, made)), from, to };
    await take(sinkChanges(made, sink));
  });
  return { ...scope, found, recorded: totalOf({ position, ledger }), entries: ledger.length };
}

/** The sum of all entries; `undefined` if a range has none. */
function totalOf({ position: { next }, ledger }: SourceState): LedgerEntry | undefined {
  let total: LedgerEntry | undefined;
  for (const entry of ledger) {
    if (!("sum" in entry) || (total && total.to + 1 !== entry.from)) return undefined;
    total = total ? joined(total, entry) : entry;
  }
  return total?.to === next - 1 ? total : undefined;
}

/** Whether the ledger says something else than the source; not known of contents that are not whole. */
export function contentsDiffer({ isWhole, found, recorded }: ReadContents): boolean {
  return isWhole && (recorded?.rows !== found.rows || recorded.sum !== found.sum);
}
