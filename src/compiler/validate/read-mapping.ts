import type { LoadedProject } from "../load/loaded-project.js";
import type { OwnMapping } from "./config.js";
import { childOf, optionalString } from "./shape/tree-access.js";

/**
 * Reads the user's own mapping.
 * @returns `undefined` if it is missing or unreadable
 */
export function readMapping({ config, mapping }: LoadedProject): OwnMapping | undefined {
  const path = optionalString(childOf(config, "mapping"), "file");
  return mapping && path && { ...mapping, path };
}
