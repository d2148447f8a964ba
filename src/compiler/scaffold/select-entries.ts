import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import { type Abi, type AbiEvent, type AbiFunction, manifestSignature, plainSignature } from "../abi/abi.js";
import { matchSignature } from "../abi/match-signature.js";
import { type WrongUsage, wrongOption } from "./wrong-usage.js";

/** Selected entries of ABIs: names or signatures. An absent list selects all. */
export interface EntrySelection {
  readonly events: readonly string[] | undefined;
  readonly calls: readonly string[] | undefined;
}

/** The indexes of the entries that are not selected, for each ABI. */
export interface Unwanted {
  readonly kind: "unwanted";
  readonly entries: readonly ReadonlySet<number>[];
}

type Entry = AbiEvent | AbiFunction;

/** Entries to choose from, and their kind. */
interface Choice<Some extends Entry> {
  readonly option: string;
  /** `event` or `state-changing function`. */
  readonly noun: string;
  readonly wanted: readonly string[] | undefined;
  entriesOf(abi: Abi): readonly Some[];
}

/** Maximum number of names to list if none is similar. */
const mostListed = 8;

/**
 * Finds the entries to leave out of ABIs, so that only selected ones get a handler: all other events and
 * state-changing functions. Read-only functions stay, for calls that may be added later. A selection applies to every
 * ABI with the entry; at least one must have it.
 */
export function selectEntries(
  abis: readonly Abi[],
  { events, calls }: EntrySelection,
): Unwanted | WrongUsage {
  const fromEvents = unwanted(abis, {
    option: "contract-events",
    noun: "event",
    wanted: events,
    entriesOf: (abi) => abi.events,
  });
  if ("kind" in fromEvents) return fromEvents;
  const fromCalls = unwanted(abis, {
    option: "contract-calls",
    noun: "state-changing function",
    wanted: calls,
    entriesOf: (abi) => abi.functions.filter(isStateChanging),
  });
  if ("kind" in fromCalls) return fromCalls;
  return {
    kind: "unwanted",
    entries: abis.map((_, index) => new Set([...(fromEvents[index] ?? []), ...(fromCalls[index] ?? [])])),
  };
}

function isStateChanging({ mutability }: AbiFunction): boolean {
  return mutability === "payable" || mutability === "nonpayable";
}

function unwanted<Some extends Entry>(
  abis: readonly Abi[],
  choice: Choice<Some>,
): readonly (readonly number[])[] | WrongUsage {
  if (!choice.wanted) return abis.map(() => []);
  const found = new Set<Some>();
  for (const text of choice.wanted) {
    const meant = abis.flatMap((abi) => meantBy(text, choice.entriesOf(abi)));
    if (meant.length === 0) return notFound(text, abis, choice);
    for (const entry of meant) found.add(entry);
  }
  return abis.map((abi) => choice.entriesOf(abi).flatMap((entry) => (found.has(entry) ? [] : [entry.index])));
}

/** A bare name selects all entries with that name. */
function meantBy<Some extends Entry>(text: string, entries: readonly Some[]): readonly Some[] {
  const match = matchSignature(text, entries);
  if (match.kind === "match") return [match.entry];
  return match.kind === "ambiguous" ? match.entries : [];
}

function notFound<Some extends Entry>(
  text: string,
  abis: readonly Abi[],
  { option, noun, entriesOf }: Choice<Some>,
): WrongUsage {
  const candidates = abis.flatMap(entriesOf);
  const match = matchSignature(text, candidates);
  if (match.kind === "unreadable") {
    const { offset, expected } = match.error;
    const where = offset >= text.length ? "at its end" : `at ${quote(text.slice(offset))}`;
    return wrongOption(option, `${quote(text)} is not a name or signature: expected ${expected} ${where}`);
  }
  if (match.kind === "indexed-differs") {
    const written = match.entries.map((entry) =>
      quote(entry.kind === "event" ? manifestSignature(entry) : plainSignature(entry)),
    );
    return wrongOption(
      option,
      `${quote(text)} has "indexed" in the wrong places; write ${written.join(" or ")}`,
    );
  }
  const reading = abis.flatMap(({ functions }) => meantBy(text, functions));
  const why =
    option === "contract-calls" && reading[0]
      ? `${quote(text)} is a ${reading[0].mutability} function, and calls to it leave no trace`
      : `no ABI has the ${noun} ${quote(text)}`;
  const sameName = match.kind === "none" ? match.sameName : [];
  return wrongOption(option, `${why}; ${near(text, sameName.length > 0 ? sameName : candidates)}`);
}

function near(text: string, candidates: readonly Entry[]): string {
  const name = text.replace(/\(.*/s, "").trim();
  const names = [...new Set(candidates.map((entry) => entry.name))];
  if (names.length === 0) return "none has one";
  if (names.length === 1 && names[0] === name)
    return `write ${[...new Set(candidates.map(plainSignature))].map(quote).join(" or ")}`;
  const found = suggest(name, names);
  if (found.length > 0) return `write ${found.map(quote).join(" or ")}`;
  const listed = names.slice(0, mostListed).join(", ");
  const left = names.length - mostListed;
  return `available: ${listed}${left > 0 ? ` and ${left} more` : ""}`;
}
