import { boundSecond } from "../answers/bound-second.js";
import type { Filters } from "../cursors/adopt-filters.js";

const addresses: ReadonlySet<string> = new Set(["address", "contract_address"]);
const integers: ReadonlySet<string> = new Set(["token_id", "min_amount", "min_balance"]);
const times: ReadonlySet<string> = new Set(["start_time", "end_time"]);

/**
 * Filters in one form for each meaning: addresses in lower case, integers without leading zeros, times in whole seconds.
 * @throws Refusal for a day that does not exist
 */
export function canonicalFilters(given: Filters): Filters {
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      if (addresses.has(name)) return [name, String(value).toLowerCase()];
      if (integers.has(name)) return [name, String(BigInt(value))];
      if (times.has(name)) return [name, secondOf(name, String(value))];
      return [name, value];
    }),
  );
}

function secondOf(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  return boundSecond(name, text, name === "start_time" ? "first" : "last");
}
