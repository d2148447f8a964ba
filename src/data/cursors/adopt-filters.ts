import { Refusal } from "../answers/refusal.js";

/** Values of filters by the names of their parameters. */
export type Filters = Readonly<Record<string, string | number | boolean>>;

/**
 * The filters of a walk: the filters of its first page, which the request may repeat or leave out.
 * @param kept the filters of the first page
 * @param given the filters of the request
 * @throws Refusal if the two contradict each other
 */
export function adoptFilters(kept: Filters, given: Filters): Filters {
  for (const [name, value] of Object.entries(given)) {
    if (kept[name] === value) continue;
    const was = kept[name] === undefined ? "without it" : `with ${name}=${String(kept[name])}`;
    throw new Refusal(
      "INVALID_CURSOR",
      `The walk of this cursor began ${was}. Leave ${name} out, or start again without the cursor.`,
    );
  }
  return kept;
}
