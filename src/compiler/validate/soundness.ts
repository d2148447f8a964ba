import type { TreeNode } from "../source/tree.js";
import type { Violations } from "./schema-check.js";
import { childOf } from "./tree-access.js";

/** What can be relied on in a configuration that violates the schema here and there. */
export class Soundness {
  readonly #violations: Violations;
  /** Pointers of the values that hold a violation. */
  readonly #unsound = new Set<string>();

  constructor(violations: Violations) {
    this.#violations = violations;
    for (const violated of violations) {
      for (let pointer = violated; pointer !== "" && !this.#unsound.has(pointer); ) {
        this.#unsound.add(pointer);
        pointer = pointer.slice(0, pointer.lastIndexOf("/"));
      }
    }
  }

  /** Whether a value satisfies the schema, with everything in it. */
  isSound({ at }: TreeNode): boolean {
    return !this.#unsound.has(at.pointer);
  }

  /** Whether a value violates the schema itself, or has a name that does. */
  isWrong({ at }: TreeNode): boolean {
    return this.#violations.has(at.pointer);
  }

  /** The value of a key, if it is there and sound. */
  child(node: TreeNode | undefined, key: string): TreeNode | undefined {
    const value = childOf(node, key);
    return value && this.isSound(value) ? value : undefined;
  }
}
