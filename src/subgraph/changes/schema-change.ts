/** A change to what queries see, or to where they are sent. */
export interface SchemaChange {
  readonly kind: SchemaChangeKind;
  /** `Transfer`, `Transfer.amount`, `Side.BUY`: the new name, or the old one of something removed. */
  readonly name: string;
  /** The name before a rename, or the type before a change. */
  readonly from?: string;
  /** The type after a change. */
  readonly to?: string;
  /** For a rename: whether it is certain to be one. */
  readonly isCertain?: boolean;
  /** Whether a query that worked, or a program that reads its results, may no longer work. */
  readonly isBreaking: boolean;
}

export type SchemaChangeKind =
  | "type-added"
  | "type-removed"
  | "type-renamed"
  /** An entity became an interface, and the like. */
  | "type-kind"
  | "field-added"
  | "field-removed"
  | "field-renamed"
  | "field-type"
  /** A field that was stored is now derived. */
  | "field-derived"
  /** A field that was derived is now stored. */
  | "field-stored"
  | "interface-added"
  | "interface-removed"
  | "immutable"
  | "mutable"
  | "enum-added"
  | "enum-removed"
  | "enum-value-added"
  | "enum-value-removed"
  | "search-added"
  | "search-removed"
  /** A change to a subgraph's name, which is part of its query URL. */
  | "subgraph-renamed"
  | "subgraph-removed"
  | "subgraph-added";

/**
 * Whether programs that read values of one type can read those of another. The new type may be null less
 * often but must not differ otherwise.
 * @param before as written: `[Token!]`
 */
export function isSafeChange(before: string, after: string): boolean {
  if (before === after) return true;
  if (after.endsWith("!")) return isSafeChange(before.replace(/!$/, ""), after.slice(0, -1));
  if (!before.startsWith("[") || !before.endsWith("]") || !after.startsWith("[")) return false;
  return isSafeChange(before.slice(1, -1), after.slice(1, -1));
}
