import type { LoadedProject } from "../load/loaded-project.js";
import type { OwnMapping } from "./config.js";
import { childOf, optionalString } from "./shape/tree-access.js";

/** Reads the mapping of the user's own. @returns `undefined` if there is none, or if it was not readable */
export function readMapping({ config, mapping }: LoadedProject): OwnMapping | undefined {
  const path = optionalString(childOf(config, "mapping"), "file");
  return mapping && path && { ...mapping, path };
}
