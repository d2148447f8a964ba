import type { TreeNode } from "../source/tree.js";
import type { Violations } from "./schema-check.js";
import { childOf } from "./shape/tree-access.js";

/** Which parts of a configuration are valid. */
export class Soundness {
  readonly #violations: Violations;
  /** Pointers of the values that contain a violation. */
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

  /** Whether a value and all of its contents satisfy the schema. */
  isSound({ at }: TreeNode): boolean {
    return !this.#unsound.has(at.pointer);
  }

  /** Whether a value itself or its name violates the schema. */
  isWrong({ at }: TreeNode): boolean {
    return this.#violations.has(at.pointer);
  }

  /** The value of a key, if it exists and is valid. */
  child(node: TreeNode | undefined, key: string): TreeNode | undefined {
    const value = childOf(node, key);
    return value && this.isSound(value) ? value : undefined;
  }
}
