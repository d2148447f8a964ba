import { Refusal } from "../answers/refusal.js";
import type { Filters } from "../cursors/adopt-filters.js";

const addresses: ReadonlySet<string> = new Set(["address", "contract_address"]);
const integers: ReadonlySet<string> = new Set(["token_id", "min_amount", "min_balance"]);
const times: ReadonlySet<string> = new Set(["start_time", "end_time"]);

/** Filters in one form for each meaning: addresses in lower case, integers without leading zeros, times in whole seconds. */
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

/** The first or the last whole second of a period that a time bounds, since 1970. @throws Refusal for a day that does not exist */
function secondOf(name: string, text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const [, fraction = ""] = /\.(\d+)/.exec(text) ?? [];
  const time = Date.parse(text.replace(`.${fraction}`, "").replace(" ", "T").toUpperCase());
  if (Number.isNaN(time))
    throw new Refusal(
      "BAD_REQUEST",
      `${name} must be a time such as 2026-01-31T12:00:00Z, or seconds since 1970.`,
    );
  const isBetween = /[1-9]/.test(fraction);
  return time / 1000 + (isBetween && name === "start_time" ? 1 : 0);
}
