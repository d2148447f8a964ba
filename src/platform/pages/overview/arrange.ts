import { groupBy } from "../../../base/group-by.js";
import type { Shown } from "../views.js";
import { type AskedOverview, type Standing, standings } from "./asked-overview.js";
import { type OverviewRow, rowOf } from "./overview-row.js";

/** The part of the overview that an address asks for. */
export interface Arranged {
  /** How many subgraphs are in each state, regardless of filters. */
  readonly counts: ReadonlyMap<Standing, number>;
  readonly rows: readonly OverviewRow[];
  /** The page of these rows, and how many there are. Both at least 1. */
  readonly page: number;
  readonly pages: number;
  /** The chains and tags of all subgraphs, by name. */
  readonly chains: readonly string[];
  readonly tags: readonly string[];
}

/** The number of rows on a page. */
const rowsOfPage = 100;
/** The most tags to choose from. The search finds the others. */
const mostTags = 100;

/**
 * Filters, sorts and divides the subgraphs of a project. Versions of one name stay together, unless another order is
 * requested.
 * @param now milliseconds since 1970
 */
export function arrange(shown: readonly Shown[], asked: AskedOverview, now: number): Arranged {
  const all = shown.map((one) => rowOf(one, now));
  const found = all.filter((row) => isAsked(row, asked));
  const ordered = fold(sorted(found, asked), asked);
  const pages = Math.max(1, Math.ceil(ordered.length / rowsOfPage));
  const page = Math.min(asked.page, pages);
  const rows = ordered.slice((page - 1) * rowsOfPage, page * rowsOfPage);
  const counts = new Map(
    [...groupBy(all, ({ standing }) => standing)].map(([standing, { length }]) => [standing, length]),
  );
  return {
    counts,
    rows: rows.map((row, at) => ({ ...row, isFollowing: row.entry.name === rows[at - 1]?.entry.name })),
    page,
    pages,
    chains: [...new Set(all.map(({ entry }) => entry.network))].sort(),
    tags: [...new Set(all.flatMap(({ tags }) => tags.map(({ version }) => version)))]
      .sort()
      .slice(0, mostTags),
  };
}

function isAsked(
  { entry, standing, tags }: OverviewRow,
  { search, state, chain, tag }: AskedOverview,
): boolean {
  const texts = [`${entry.name}/${entry.version}`, entry.deployment, ...tags.map(({ version }) => version)];
  const wanted = search.toLowerCase();
  return (
    (state === "" || standing === state) &&
    (chain === "" || entry.network === chain) &&
    (tag === "" || tags.some(({ version }) => version === tag)) &&
    (wanted === "" || texts.some((text) => text.toLowerCase().includes(wanted)))
  );
}

function sorted(rows: readonly OverviewRow[], { order }: AskedOverview): readonly OverviewRow[] {
  if (order === "behind") return [...rows].sort((one, other) => (other.lag ?? -1) - (one.lag ?? -1));
  if (order === "newest") return [...rows].sort(byAge);
  const groups = [...groupBy(rows, ({ entry }) => entry.name).values()];
  if (order === "") {
    for (const group of groups)
      group.sort((one, other) => urgencyOf(one) - urgencyOf(other) || byAge(one, other));
    groups.sort((one, other) => urgencyOfAll(one) - urgencyOfAll(other));
  }
  return groups.flat();
}

function byAge(one: OverviewRow, other: OverviewRow): number {
  return other.entry.createdAt.getTime() - one.entry.createdAt.getTime();
}

/** Low numbers come first: failed, waiting, with errors, behind, and then everything else alike. */
function urgencyOf({ standing, isBehind }: OverviewRow): number {
  return isBehind ? 3 : Math.min(standings.indexOf(standing), 4);
}

function urgencyOfAll(group: readonly OverviewRow[]): number {
  return Math.min(...group.map(urgencyOf));
}

/**
 * Folds the older versions of a name below its last row. The newest version keeps a separate row, and so do versions
 * that have tags, have fallen behind or have failed. A search, a filter or another order shows all rows.
 * @param rows in order, those of a name together
 */
function fold(
  rows: readonly OverviewRow[],
  { search, state, tag, order }: AskedOverview,
): readonly OverviewRow[] {
  if (search !== "" || state !== "" || tag !== "" || (order !== "" && order !== "name")) return rows;
  return [...groupBy(rows, ({ entry }) => entry.name).values()].flatMap((group) => {
    const newest = group.reduce((found, row) => (ageOf(row) > ageOf(found) ? row : found));
    const isFolded = (row: OverviewRow): boolean => row !== newest && isQuiet(row);
    const older = group.filter(isFolded);
    const shown = group.filter((row) => !isFolded(row));
    return shown.map((row, at) => (older.length > 0 && at === shown.length - 1 ? { ...row, older } : row));
  });
}

/** A version that is paused or keeps up with its chain, and that no tag points to, needs no attention. */
function isQuiet({ standing, isBehind, tags }: OverviewRow): boolean {
  return tags.length === 0 && !isBehind && (standing === "synced" || standing === "paused");
}

function ageOf({ entry }: OverviewRow): number {
  return entry.createdAt.getTime();
}
