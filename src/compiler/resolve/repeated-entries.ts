import { groupBy } from "../../base/group-by.js";
import { quote } from "../../base/text/quote.js";
import { type AbiEvent, type AbiFunction, entryIdentity, plainSignature } from "../abi/abi.js";
import type { Report } from "../diagnostics/report.js";
import type { AbiDeclaration } from "../validate/config.js";
import type { AbiUsage } from "./bind-abis.js";
import type { TriggerEntry } from "./find-triggers.js";

/** Duplicates by the kept entry, in ABI order. */
export type RepeatedEntries = ReadonlyMap<TriggerEntry, readonly TriggerEntry[]>;

/** The maximum number of locations in a diagnostic. */
const mostShown = 5;

/**
 * Removes an ABI's duplicates, entries that graph-node cannot distinguish, except the first. Copies the entries: two
 * names of one ABI file share the parsed entries, but from here on, an entry's identity belongs to one ABI.
 * @param repeated receives the removed entries
 */
export function withOwnEntries(
  { name, abi }: AbiDeclaration,
  repeated: Map<TriggerEntry, readonly TriggerEntry[]>,
): AbiDeclaration {
  const once = <Entry extends AbiEvent | AbiFunction>(entries: readonly Entry[]): Entry[] =>
    [...groupBy(entries, entryIdentity).values()].flatMap(([first, ...others]) => {
      if (!first) return [];
      const own = { ...first };
      if (others.length > 0) repeated.set(own, others);
      return [own];
    });
  return { name, abi: { events: once(abi.events), functions: once(abi.functions) } };
}

/** Reports the entries in use that have duplicates. */
export function reportRepeated(usages: readonly AbiUsage[], repeated: RepeatedEntries, report: Report): void {
  for (const { declaration, triggers, called } of usages) {
    for (const entry of new Set([...triggers, ...called.keys()])) {
      const others = repeated.get(entry);
      if (others) reportOne(declaration, entry, others, report);
    }
  }
}

function reportOne(
  { name }: AbiDeclaration,
  entry: TriggerEntry,
  others: readonly TriggerEntry[],
  report: Report,
): void {
  const { kind } = entry;
  const times = others.length === 1 ? "twice" : `${others.length + 1} times`;
  const message = `${quote(name.value)} lists ${kind} ${quote(plainSignature(entry))} ${times}`;
  report.note("repeated-entry", name.at, message, {
    label: `has this ${kind}`,
    related: [
      { at: entry.locate(), text: "the first, which graphloom keeps" },
      ...others.slice(0, mostShown - 1).map((other) => ({ at: other.locate(), text: "listed again" })),
    ],
    notes: [`graph-node cannot tell them apart, so graphloom treats them as one ${kind}`],
  });
}
