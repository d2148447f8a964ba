import type { Changes } from "../../changes/net-changes.js";

/** Changes that have numbers. */
export interface NumberedChanges extends Omit<Changes, "overwritten"> {
  /** The number of the first one; the others follow. A change that is sent again has the number that it had before. */
  readonly first: number;
  /** The rows of a replay: what their ids end with, by index. */
  readonly replayed?: ReadonlyMap<number, string>;
}

/** Brings changes to where they go. */
export interface Carrier {
  /**
   * Sends changes in their order.
   * @param arrived gets how many have arrived, counted from the first one, whenever more have
   * @throws SinkError; RowError with indexes into the changes, all after the arrived ones
   */
  carry(changes: NumberedChanges, arrived: (count: number) => Promise<void>): Promise<void>;
}
