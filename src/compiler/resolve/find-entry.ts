import { quote } from "../../base/text/quote.js";
import { suggest } from "../../base/text/suggest.js";
import { manifestSignature, plainSignature } from "../abi/abi.js";
import { matchSignature, type SignatureMatch } from "../abi/match-signature.js";
import { canonicalType } from "../abi/solidity-type.js";
import { nearName } from "../diagnostics/correct-name.js";
import { type Details, type RelatedPlace, rewrite } from "../diagnostics/diagnostic.js";
import type { Report } from "../diagnostics/report.js";
import type { LocatedString } from "../source/source.js";
import type { TriggerEntry } from "./find-triggers.js";

/** The entries in which to look up a signature. */
export interface EntryPool<Entry extends TriggerEntry> {
  readonly entries: readonly Entry[];
  readonly abiName: string;
  /** The kinds of entries, for messages: `event`, `event or function`, `function`. */
  readonly kinds: string;
}

/** The maximum number of entries in a diagnostic. */
const mostShown = 5;

/** Finds the ABI entry of a written signature; `undefined` after a reported error. */
export function findEntry<Entry extends TriggerEntry>(
  signature: LocatedString,
  pool: EntryPool<Entry>,
  report: Report,
): Entry | undefined {
  const { value: text, at } = signature;
  const abi = `ABI ${quote(pool.abiName)}`;
  const match = matchSignature(text, pool.entries);
  switch (match.kind) {
    case "match":
      return match.entry;
    case "unreadable":
      return void reportUnreadable(signature, match.error, pool, report);
    case "ambiguous":
      return void report.error(
        "ambiguous-signature",
        at,
        `${quote(text)} matches several entries of ${abi}`,
        {
          label: `${match.entries.length} entries match`,
          related: relatedEntries(match.entries),
          hint: `write the full signature, such as "${entryText(match.entries[0])}"`,
        },
      );
    case "indexed-differs": {
      const [entry, ...others] = match.entries;
      const right = entryText(entry);
      return void report.error(
        "indexed-mismatch",
        at,
        `${entry.kind} ${quote(entry.name)} indexes different parameters`,
        {
          label: indexedParameters(entry),
          related: relatedEntries(match.entries),
          hint: `write "${right}"`,
          ...(others.length === 0 && { fix: [rewrite(signature, right)] }),
        },
      );
    }
    case "none":
      return void report.error(
        "unknown-signature",
        at,
        `${abi} has no ${pool.kinds} ${quote(text)}`,
        nearest(signature, match, pool),
      );
  }
}

/** The recommended spelling of an entry. */
export function entryText(entry: TriggerEntry): string {
  return entry.kind === "event" ? manifestSignature(entry) : plainSignature(entry);
}

/** The locations of candidate entries, with their signatures. */
export function relatedEntries(entries: readonly TriggerEntry[]): readonly RelatedPlace[] {
  return entries.slice(0, mostShown).map((entry) => ({ at: entry.locate(), text: entryText(entry) }));
}

function reportUnreadable(
  signature: LocatedString,
  { offset, expected }: { readonly offset: number; readonly expected: string },
  { entries }: EntryPool<TriggerEntry>,
  report: Report,
): void {
  const text = signature.value;
  const wrong = /^(?:\w+|.)?/s.exec(text.slice(offset))?.[0] ?? "";
  const named = entries.filter(({ name }) => name === nameIn(text));
  const example = named.length === 1 && named[0] ? entryText(named[0]) : "Transfer(address,uint256)";
  report.error(
    "signature-syntax",
    signature.part(offset, offset + wrong.length),
    `${quote(text)} is not a signature`,
    { label: `expected ${expected} here`, hint: `write it like "${example}"` },
  );
}

function nameIn(signature: string): string {
  return signature.replace(/\(.*$/s, "").trim();
}

/** What an unknown signature probably means. */
function nearest<Entry extends TriggerEntry>(
  signature: LocatedString,
  { sameName }: Extract<SignatureMatch<Entry>, { kind: "none" }>,
  { entries, kinds }: EntryPool<Entry>,
): Details {
  if (sameName.length > 0) return otherParameters(signature, sameName);
  const name = nameIn(signature.value);
  const handled = entries.find((entry) => entry.name === /^(?:handle|on)([A-Z]\w*)$/.exec(name)?.[1]);
  const near = handled
    ? { name: handled.name, certain: true }
    : nearName(name, new Set(entries.map((entry) => entry.name)));
  if (!near)
    return {
      label: `no ${kinds} has a similar name`,
      notes: namesOf(entries, kinds === "event or function" ? "events and functions" : `${kinds}s`),
    };
  const start = signature.value.indexOf(name);
  const right = signature.value.replace(name, () => near.name);
  const entry = entries.find((candidate) => candidate.name === near.name);
  // Only the name was wrong if the rest of the signature matches.
  const fits = matchSignature(right, entries).kind === "match";
  const isSure = near.certain && fits;
  return {
    label: "the name is not in the ABI",
    related: entry ? [{ at: entry.locate(), text: `the nearest ${entry.kind}` }] : [],
    hint: `write "${fits ? right : entry ? entryText(entry) : near.name}"`,
    ...(isSure && {
      fix: [{ kind: "part", of: signature, start, end: start + name.length, text: near.name }],
    }),
  };
}

/** The nearest of several entries with the same name, and how it differs. */
function otherParameters(signature: LocatedString, sameName: readonly TriggerEntry[]): Details {
  const text = signature.value;
  const texts = sameName.map(entryText);
  const nearestText = suggest(text, texts)[0] ?? texts[0];
  const entry = sameName.find((candidate) => entryText(candidate) === nearestText);
  const types = entry?.inputs.map(({ type }) => canonicalType(type)).join(", ");
  return {
    label: types === "" ? "it has no parameters" : `its parameters are ${types}`,
    related: entry
      ? [
          {
            at: entry.locate(),
            text: sameName.length === 1 ? `the ${entry.kind}` : `the nearest ${entry.kind}`,
          },
        ]
      : [],
    hint: `write "${nearestText}"`,
    // With a single entry of that name, the fix is certain.
    ...(sameName.length === 1 && nearestText !== undefined && { fix: [rewrite(signature, nearestText)] }),
  };
}

/** A note that lists the available names, if they are few. */
export function namesOf(entries: readonly TriggerEntry[], kinds: string): readonly string[] {
  const names = [...new Set(entries.map(({ name }) => name))];
  if (names.length === 0) return ["it has none"];
  const shown = names.slice(0, 8).join(", ");
  return [`its ${kinds} are ${shown}${names.length > 8 ? ` and ${names.length - 8} more` : ""}`];
}

function indexedParameters({ inputs }: TriggerEntry): string {
  const positions = inputs.flatMap(({ indexed }, index) => (indexed ? [index + 1] : []));
  if (positions.length === 0) return "no parameter is indexed";
  if (positions.length === inputs.length) return "all parameters are indexed";
  return `only parameter${positions.length === 1 ? "" : "s"} ${positions.join(" and ")} ${positions.length === 1 ? "is" : "are"} indexed`;
}
