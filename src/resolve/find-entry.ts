import { manifestSignature, plainSignature } from "../abi/abi.js";
import { matchSignature } from "../abi/match-signature.js";
import type { Report } from "../diagnostics/report.js";
import { suggest } from "../diagnostics/suggest.js";
import type { LocatedString } from "../source/source.js";
import type { TriggerEntry } from "./find-triggers.js";

/**
 * Finds the ABI entry a written signature means; `undefined` after a reported error.
 * @param kinds what may be named: `event`, `event or function`, `function`
 */
export function findEntry<Entry extends TriggerEntry>(
  signature: LocatedString,
  entries: readonly Entry[],
  abiName: string,
  kinds: string,
  report: Report,
): Entry | undefined {
  const text = signature.value;
  const match = matchSignature(text, entries);
  switch (match.kind) {
    case "match":
      return match.entry;
    case "unreadable":
      report.error(
        "signature-syntax",
        signature.part(match.error.offset, text.length),
        `"${text}" is not a signature: ${match.error.expected} is expected here`,
      );
      return undefined;
    case "ambiguous":
      report.error(
        "ambiguous-signature",
        signature.at,
        `"${text}" names more than one ${kinds} of ABI "${abiName}"`,
        {
          hint: `write one of ${match.entries.map(entryText).join(", ")}`,
        },
      );
      return undefined;
    case "indexed-differs":
      report.error(
        "indexed-mismatch",
        signature.at,
        `ABI "${abiName}" has other parameters of "${text}" indexed`,
        {
          hint: `write ${entryText(match.entry)}`,
        },
      );
      return undefined;
    case "none": {
      const near = match.sameName.length > 0 ? match.sameName : nearest(text, entries);
      report.error("unknown-signature", signature.at, `ABI "${abiName}" has no ${kinds} "${text}"`, {
        hint: near.length > 0 ? `write ${near.map(entryText).join(" or ")}` : undefined,
      });
      return undefined;
    }
  }
}

/** An entry as a user would best write it. */
export function entryText(entry: TriggerEntry): string {
  return entry.kind === "event" ? manifestSignature(entry) : plainSignature(entry);
}

function nearest<Entry extends TriggerEntry>(text: string, entries: readonly Entry[]): readonly Entry[] {
  const near = suggest(text.replace(/\(.*$/s, "").trim(), new Set(entries.map((entry) => entry.name)));
  return entries.filter((entry) => near.includes(entry.name)).slice(0, 5);
}
