/** A change of what queries see, or of where they are sent. */
export interface SchemaChange {
  readonly kind: SchemaChangeKind;
  /** `Transfer`, `Transfer.amount`, `Side.BUY`: as it is now, of what was removed as it was. */
  readonly name: string;
  /** The name before a renaming, the type before a change. */
  readonly from?: string;
  /** The type after a change. */
  readonly to?: string;
  /** Of a renaming: whether nothing else can have been meant. */
  readonly isCertain?: boolean;
  /** Whether a query that worked, or a program that reads its answer, may not work any more. */
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
  /** A field that was stored is derived now. */
  | "field-derived"
  /** A field that was derived is stored now. */
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
  /** Of subgraphs, whose names are in the addresses that queries are sent to. */
  | "subgraph-renamed"
  | "subgraph-removed"
  | "subgraph-added";

/**
 * Whether who reads values of one type can read those of another: it may be null less often, and nothing else.
 * @param before as it is written: `[Token!]`
 */
export function isSafeChange(before: string, after: string): boolean {
  if (before === after) return true;
  if (after.endsWith("!")) return isSafeChange(before.replace(/!$/, ""), after.slice(0, -1));
  if (!before.startsWith("[") || !before.endsWith("]") || !after.startsWith("[")) return false;
  return isSafeChange(before.slice(1, -1), after.slice(1, -1));
}
