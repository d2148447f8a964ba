import { figureStateOf, lagOf } from "../../figures/figure.js";
import type { Shown } from "../views.js";
import type { Standing } from "./asked-overview.js";

/** A version in the overview. */
export interface OverviewRow extends Shown {
  readonly standing: Standing;
  /** Blocks behind the head of the chain; `undefined` if that is not known. */
  readonly lag?: number | undefined;
  /** Whether it has yet to catch up, or has fallen behind. */
  readonly isBehind: boolean;
  /** Whether the row above has the same name. */
  readonly isFollowing?: boolean;
  /** The other versions of its name that are folded below it, in order. */
  readonly older?: readonly OverviewRow[];
}

/**
 * A subgraph has fallen behind once its last block is this many milliseconds old, or, if that is unknown, once it
 * lags by this many blocks.
 */
const oldBlock = 5 * 60_000;
const manyBlocks = 100;

/**
 * The overview's facts about a version.
 * @param now milliseconds since 1970
 */
export function rowOf(shown: Shown, now: number): OverviewRow {
  const { entry, status } = shown;
  const standing = figureStateOf(entry.isPaused, status) ?? (entry.isPaused ? "paused" : "starting");
  // The head of a chain without a node is old.
  const lag = status && !status.nodeState ? lagOf(status) : undefined;
  const { headTimestamp: last } = status ?? {};
  const isLate = last === undefined ? (lag ?? 0) >= manyBlocks : now - last * 1000 >= oldBlock;
  const isBehind = standing === "indexing" || (standing === "synced" && (lag ?? 0) > 0 && isLate);
  return { ...shown, standing, lag, isBehind };
}
