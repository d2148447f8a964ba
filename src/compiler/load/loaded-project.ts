import type { Location, Source } from "../source/source.js";
import type { TreeNode, TreePath } from "../source/tree.js";

/** Everything read from outside, parsed as text but not yet judged. */
export interface LoadedProject {
  readonly config: TreeNode;
  /** One per member of `abis` that could be read, by its key. */
  readonly abis: ReadonlyMap<string, LoadedAbi>;
}

/** The JSON value of an ABI, wherever it came from: a file, an inline array, an inline JSON string. */
export interface LoadedAbi {
  /** The bare ABI array, taken out of a build artifact or an explorer's answer where it was in one. */
  readonly entries: readonly unknown[];
  /** The ABI file; for inline ABIs the configuration itself. */
  readonly source: Source;
  /**
   * Where entry `index` stands, or the value inside it that `path` leads to, as far as it goes. Positions are worked
   * out when asked for, since most ABIs are never blamed.
   */
  locateEntry(index: number, path?: TreePath): Location;
}
