import type { DocumentNode } from "graphql";
import type { Location, Source } from "../source/source.js";
import type { TreeNode, TreePath } from "../source/tree.js";

/** Everything that was read: parsed, but not validated. */
export interface LoadedProject {
  readonly config: TreeNode;
  /** The readable members of `abis`, by key. */
  readonly abis: ReadonlyMap<string, LoadedAbi>;
  /** The user's own mapping; absent if there is none, or if it cannot be read. */
  readonly mapping?: LoadedMapping | undefined;
}

/** A mapping that the user wrote, and the entity types that it stores. */
export interface LoadedMapping {
  readonly file: Source;
  /** Absent if there are none, or if they cannot be read. */
  readonly schema?: { readonly source: Source; readonly document: DocumentNode } | undefined;
}

/** An ABI as a JSON value, from any origin: a file, an inline array, an inline JSON string. */
export interface LoadedAbi {
  /** The bare ABI array, extracted from a build artifact or an explorer's response. */
  readonly entries: readonly unknown[];
  /** The ABI file, or the configuration for an inline ABI. */
  readonly source: Source;
  /**
   * Locates entry `index`, or the value at `path` inside it, or as much of the path as exists. Computed on demand,
   * because most ABIs never need a diagnostic.
   */
  locateEntry(index: number, path?: TreePath): Location;
}
