/** A configuration that is being written: pages show it in place of the builds of its edits. */
export interface Draft {
  /** The tag whose addresses stay over all edits. */
  readonly tag: string;
  /** What is wrong with it, in lines as a terminal shows them; empty when nothing is. */
  mistakes(): string;
}
