import type { Place } from "./facts.js";

/** Why an entity type must be reindexed. */
export interface Reason {
  readonly kind: ReasonKind;
  /** A few words, without a final period. */
  readonly text: string;
  readonly field?: string;
  /** The line of the new configuration that causes it, if there is one. */
  readonly place?: Place | undefined;
}

export type ReasonKind =
  | "contract-added"
  | "contract-removed"
  | "address"
  | "start-block"
  | "trigger-added"
  | "trigger-removed"
  | "filter"
  | "creation"
  | "value"
  | "call"
  | "mapping"
  | "schema";

/** A reason, and the entity type that it applies to. */
export interface Finding {
  readonly entity: string;
  readonly reason: Reason;
}
