/** A configuration under development: pages show it instead of the builds of its edits. */
export interface Draft {
  /** The tag whose addresses stay the same across edits. */
  readonly tag: string;
  /** Its errors, in lines as a terminal shows them; empty when there are none. */
  mistakes(): string;
}
