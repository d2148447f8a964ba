import { groupBy } from "../../../base/group-by.js";
import { figureStateOf, lagOf } from "../../figures/figure.js";
import type { Shown } from "../views.js";
import { type AskedOverview, type Standing, standings } from "./asked-overview.js";

/** A version in the overview. */
export interface OverviewRow extends Shown {
  readonly standing: Standing;
  /** Blocks behind the head of the chain; nothing if that is not known. */
  readonly lag?: number | undefined;
  /** Whether it has yet to catch up, or has fallen behind. */
  readonly isBehind: boolean;
  /** Whether the row above is of the same name. */
  readonly isFollowing?: boolean;
}

/** The part of the overview that an address asks for. */
export interface Arranged {
  /** How many subgraphs there are of each state, whatever is asked for. */
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

/** A subgraph has fallen behind once its last block is this many milliseconds old; or many blocks, if that is not known. */
const oldBlock = 5 * 60_000;
const manyBlocks = 100;

/**
 * Filters, sorts and divides the subgraphs of a project. Versions of one name stay together, unless the order is another.
 * @param now milliseconds since 1970
 */
export function arrange(shown: readonly Shown[], asked: AskedOverview, now: number): Arranged {
  const all = shown.map((one) => rowOf(one, now));
  const found = sorted(
    all.filter((row) => isAsked(row, asked)),
    asked,
  );
  const pages = Math.max(1, Math.ceil(found.length / rowsOfPage));
  const page = Math.min(asked.page, pages);
  const rows = found.slice((page - 1) * rowsOfPage, page * rowsOfPage);
  const counts = new Map(
    [...groupBy(all, ({ standing }) => standing)].map(([standing, { length }]) => [standing, length]),
  );
  return {
    counts,
    rows: rows.map((row, at) => ({ ...row, isFollowing: row.entry.name === rows[at - 1]?.entry.name })),
    ...{ page, pages },
    chains: [...new Set(all.map(({ entry }) => entry.network))].sort(),
    tags: [...new Set(all.flatMap(({ tags }) => tags.map(({ version }) => version)))]
      .sort()
      .slice(0, mostTags),
  };
}

function rowOf(shown: Shown, now: number): OverviewRow {
  const { entry, status } = shown;
  const standing = figureStateOf(entry.isPaused, status) ?? (entry.isPaused ? "paused" : "starting");
  // The head of a chain without a node is old.
  const lag = status && !status.nodeState ? lagOf(status) : undefined;
  const { headTimestamp: last } = status ?? {};
  const isLate = last === undefined ? (lag ?? 0) >= manyBlocks : now - last * 1000 >= oldBlock;
  const isBehind = standing === "indexing" || (standing === "synced" && (lag ?? 0) > 0 && isLate);
  return { ...shown, standing, lag, isBehind };
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

/** Low numbers come first: what has failed, what waits, what has errors, what is behind, and then everything else alike. */
function urgencyOf({ standing, isBehind }: OverviewRow): number {
  return isBehind ? 3 : Math.min(standings.indexOf(standing), 4);
}

function urgencyOfAll(group: readonly OverviewRow[]): number {
  return Math.min(...group.map(urgencyOf));
}
