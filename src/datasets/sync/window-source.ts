import type { Proofs } from "../extract/proofs.js";
import type { DatasetRow } from "../tables/dataset.js";
import type { Window } from "./windows.js";

/** All rows of a window's next blocks. */
export interface WindowBatch {
  readonly to: number;
  readonly rows: readonly DatasetRow[];
  readonly proofs: Proofs;
}

/** A window whose rows are read on request. */
export interface OpenWindow {
  /** The day of the window's first block, in UTC: `yyyy-MM-dd`. */
  readonly day: string;
  readonly batches: AsyncIterable<WindowBatch>;
}

export interface WindowSource {
  /** Begins to read a window. */
  open(window: Window): Promise<OpenWindow>;
  /**
   * Waits before a window is read again from the start.
   * @throws the error itself if that would not help
   */
  again(error: unknown): Promise<void>;
}

/** The day of a block, in UTC: `yyyy-MM-dd`. @param timestamp in seconds since 1970 */
export function dayOfTime(timestamp: bigint): string {
  const date = new Date(Number(timestamp) * 1000);
  // Far beyond the year 9999, JavaScript dates have a sign.
  return date.toISOString().replace(/^\+/, "").slice(0, -"T00:00:00.000Z".length);
}
