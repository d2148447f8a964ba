import type { Report } from "../../diagnostics/report.js";
import type { Location } from "../../source/source.js";
import { checksummed, checksummedOn } from "../checksum.js";
import type { Instance } from "../config.js";
import type { Rule } from "./rule.js";

/** Mixed-case addresses have a valid checksum: the common one, or the chain's own. */
export const addressChecksums: Rule = ({ instances }, _context, report) => {
  const all = new Set(instances.flatMap((one) => (one.kind === "data-source" ? [one.chain.value] : [])));
  const judged = new Set<number>();
  for (const instance of instances) {
    const isFixed = instance.kind === "data-source";
    // A template may be on any chain.
    const chains = isFixed ? [instance.chain.value] : [...all];
    if (isFixed) judge(instance.address, chains, report);
    for (const called of calledAddresses(instance)) {
      // With YAML aliases, the same enrichment occurs several times.
      if (!judged.has(called.at.start)) judge(called, chains, report);
      judged.add(called.at.start);
    }
  }
};

interface WrittenAddress {
  readonly value: string;
  readonly at: Location;
}

/** The literal addresses of called contracts. */
function calledAddresses({ enrich }: Instance): readonly WrittenAddress[] {
  const sources = (enrich?.handlers ?? []).flatMap(({ calls }) =>
    calls.flatMap(({ source }) => source ?? []),
  );
  return sources.flatMap((source) =>
    [...source.value.matchAll(/\b0x[0-9a-fA-F]{40}\b/g)].map(({ index, 0: value }) => ({
      value,
      at: source.part(index, index + value.length),
    })),
  );
}

function judge({ value, at }: WrittenAddress, chains: readonly string[], report: Report): void {
  const digits = value.slice(2);
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return;
  const common = checksummed(value);
  const right = chains.map((chain) => checksummedOn(chain, value));
  if ([common, ...right].includes(value)) return;
  report.warning("address-checksum", at, "the checksum of this address is wrong", {
    label: "a digit may be mistyped",
    notes: [
      "the case of the letters is a checksum of all digits",
      `if these digits are right, the address is written "${right[0] ?? common}"`,
    ],
    hint: "copy the address from its source again",
  });
}
