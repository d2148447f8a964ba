import type { Abi } from "../abi/abi.js";
import { Report } from "../diagnostics/report.js";
import type { LoadedAbi } from "../load/loaded-project.js";
import { parseAbi } from "../validate/parse-abi.js";
import type { FaultyAbis } from "./read-option-abis.js";
import { type EntrySelection, selectEntries } from "./select-entries.js";
import type { WrongUsage } from "./wrong-usage.js";

/** Applies a selection to ABIs. Validates them only if there is something to select. */
export function keepSelected(
  abis: readonly LoadedAbi[],
  selection: EntrySelection,
): { readonly kind: "kept"; readonly kept: readonly (readonly number[])[] } | WrongUsage | FaultyAbis {
  const whole = abis.map(({ entries }) => entries.map((_, index) => index));
  if (!selection.events && !selection.calls) return { kind: "kept", kept: whole };
  const report = new Report();
  const parsed = new Map<LoadedAbi, Abi>();
  for (const abi of abis) if (!parsed.has(abi)) parsed.set(abi, parseAbi(abi, report));
  if (report.failed) return { kind: "faulty", diagnostics: report.diagnostics };
  const judged = abis.flatMap((abi) => parsed.get(abi) ?? []);
  const unwanted = selectEntries(judged, selection);
  if (unwanted.kind !== "unwanted") return unwanted;
  return {
    kind: "kept",
    kept: whole.map((all, index) => all.filter((entry) => !unwanted.entries[index]?.has(entry))),
  };
}
