import type { RowPosition } from "../../../store/tables/browse-entities.js";

/** The state of a page of rows. All of it is in the address. */
export interface BrowseState {
  /** The prefix of the ids to search for; empty for all. */
  readonly search: string;
  readonly filters: readonly AskedFilter[];
  /** By default, the rows that were written last come first. */
  readonly order?: { readonly field: string; readonly isDescending: boolean } | undefined;
  /** Rows on a page. */
  readonly size: number;
  readonly from?: RowPosition | undefined;
}

/** A filter from the user's input. It may not match the field. */
export interface AskedFilter {
  readonly field: string;
  readonly by: string;
  readonly value: string;
}

/** The numbers of rows that a page can have. */
export const pageSizes = [25, 50, 100, 200] as const;
const usualSize = 50;
/** The most filters that apply at once. */
const mostFilters = 10;
/** The most characters of a search or a value. */
const longestText = 1_000;

/** Reads the state from an address. Parts that are not valid count as missing. */
export function readBrowseState(query: URLSearchParams): BrowseState {
  const [fields, bys, values] = [query.getAll("field"), query.getAll("by"), query.getAll("value")];
  const filters = fields
    .map((field, index) => ({ field, by: bys[index] ?? "", value: limitedText(values[index]) }))
    .filter(({ field }) => field !== "")
    .slice(0, mostFilters);
  const [, minus, field] = /^(-?)(.+)$/.exec(query.get("sort") ?? "") ?? [];
  return {
    search: limitedText(query.get("id")).trim(),
    filters,
    ...(field !== undefined && { order: { field, isDescending: minus === "-" } }),
    size: pageSizes.find((size) => String(size) === query.get("size")) ?? usualSize,
    ...positionIn(query),
  };
}

/** The address of a state, relative to the page. */
export function addressOf(state: BrowseState): string {
  return `?${String(parametersOf(state))}`;
}

/** The parameters of a state, without defaults. */
export function parametersOf({ search, filters, order, size, from }: BrowseState): URLSearchParams {
  const query = new URLSearchParams();
  if (search !== "") query.set("id", search);
  for (const { field, by, value } of filters) {
    query.append("field", field);
    query.append("by", by);
    query.append("value", value);
  }
  if (order) query.set("sort", `${order.isDescending ? "-" : ""}${order.field}`);
  if (size !== usualSize) query.set("size", String(size));
  if (from === "last") query.set("page", "last");
  else if (from) query.set(...("after" in from ? vidOf("after", from.after) : vidOf("before", from.before)));
  return query;
}

/** Whether a state is the first page of all rows, last written first. */
export function isPlain({ search, filters, order, from }: BrowseState): boolean {
  return search === "" && filters.length === 0 && order === undefined && from === undefined;
}

function vidOf(name: string, vid: bigint): [string, string] {
  return [name, String(vid)];
}

function positionIn(query: URLSearchParams): Pick<BrowseState, "from"> {
  const [after, before] = [vidIn(query.get("after")), vidIn(query.get("before"))];
  if (after !== undefined) return { from: { after } };
  if (before !== undefined) return { from: { before } };
  return query.get("page") === "last" ? { from: "last" } : {};
}

/** The database's largest bigint has 19 digits. */
export function vidIn(text: string | null): bigint | undefined {
  return text !== null && /^\d{1,18}$/.test(text) ? BigInt(text) : undefined;
}

function limitedText(text: string | null | undefined): string {
  return (text ?? "").slice(0, longestText);
}
