import { groupBy } from "../../../base/group-by.js";
import type { AskedOverview } from "./asked-overview.js";
import type { OverviewRow } from "./overview-row.js";

/**
 * Folds the older versions of a name below its last row. The newest version keeps a row of its own, and so do versions
 * that have tags, have fallen behind or have failed. A search, a filter or another order shows all rows.
 * @param rows in their order, those of a name together
 */
export function fold(
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

/** Nobody has to look at a version that is paused or keeps up with its chain, and that no tag points to. */
function isQuiet({ standing, isBehind, tags }: OverviewRow): boolean {
  return tags.length === 0 && !isBehind && (standing === "synced" || standing === "paused");
}

function ageOf({ entry }: OverviewRow): number {
  return entry.createdAt.getTime();
}
