/** A change to what queries see, or to the query URL. */
export interface SchemaChange {
  readonly kind: SchemaChangeKind;
  /** `Transfer`, `Transfer.amount`, `Side.BUY`: the new name, or the old one if it was removed. */
  readonly name: string;
  /** The name before a rename, or the type before the change. */
  readonly from?: string;
  /** The type after the change. */
  readonly to?: string;
  /** Whether a rename is certain. */
  readonly isCertain?: boolean;
  /** Whether a working query, or a program that reads its results, may break. */
  readonly isBreaking: boolean;
}

export type SchemaChangeKind =
  | "type-added"
  | "type-removed"
  | "type-renamed"
  /** For example, an entity became an interface. */
  | "type-kind"
  | "field-added"
  | "field-removed"
  | "field-renamed"
  | "field-type"
  /** A stored field is now derived. */
  | "field-derived"
  /** A derived field is now stored. */
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
 * Whether programs that read values of one type can read values of another. The new type may be null less often but
 * must not differ otherwise.
 * @param before as written: `[Token!]`
 */
export function isSafeChange(before: string, after: string): boolean {
  if (before === after) return true;
  if (after.endsWith("!")) return isSafeChange(before.replace(/!$/, ""), after.slice(0, -1));
  if (!before.startsWith("[") || !before.endsWith("]") || !after.startsWith("[")) return false;
  return isSafeChange(before.slice(1, -1), after.slice(1, -1));
}
