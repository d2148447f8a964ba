import { visible } from "./text/visible.js";

/** What applying a definition does to a sink of a pipeline. */
export interface SinkChange {
  readonly sink: string;
  readonly type: string;
  /**
   * `same`: it computes its rows as before. `continues`: it computes them differently, but continues at its position.
   * `resets`: it cannot continue. `new`: it has no rows. `gone`: no definition writes it anymore. `unknown`: it is
   * unreachable.
   */
  readonly change: "same" | "continues" | "resets" | "new" | "gone" | "unknown";
  /** The computations that differ, as parts of a sentence, or why the sink cannot be reached. */
  readonly reasons: readonly string[];
  /** The effect of starting over, as a sentence without a final period; `null` if the sink cannot start over. */
  readonly reset: string | null;
  /** The same for recreating its tables. */
  readonly recreate: string | null;
  /** What else the user can do. */
  readonly otherwise: string | null;
}

/**
 * Says what happens to a sink whose rows change, without a final period.
 * @param how how it starts over, if it does
 */
export function sinkChangeText(
  { sink, change, reasons, otherwise, ...anew }: SinkChange,
  how: "reset" | "recreate" | undefined,
): string {
  const name = visible(sink);
  const why = visible(reasons.join("; "));
  if (how !== undefined)
    return `Sink ${name} starts over (${why}): ${visible(anew[how] ?? otherwise ?? "it cannot")}`;
  switch (change) {
    case "continues":
      return `Sink ${name} goes on (${why}); rows that it has stay as they are`;
    case "new":
      return `Sink ${name} has no rows yet`;
    case "gone":
      return `Sink ${name} is not written any more; what it holds stays`;
    default:
      return `Sink ${name} cannot be compared: ${why}`;
  }
}
