/** What a sink keeps about where its rows come from. */
export interface KeptLineage {
  /** As it was kept; `undefined` if nothing was, as by earlier versions. */
  readonly text: string | undefined;
  /** Whether anything of any source was written. */
  readonly isWritten: boolean;
}

/** Kept instead of a lineage while a sink is emptied, which may be interrupted. */
export const resetMark = "reset";

/** Says what the rows of a sink are computed from. The sink keeps it when it is opened. */
export interface LineageGuard {
  readonly text: string;
  /** Called before anything is prepared. @throws SinkError if the sink has rows of another lineage */
  check(kept: KeptLineage): void;
}
