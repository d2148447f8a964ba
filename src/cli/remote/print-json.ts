import { visibleJson } from "../../base/visible.js";
import type { World } from "../terminal/world.js";

/** Prints a value that came from a server as one JSON document, which is safe to show on a terminal, too. */
export function printJson(value: unknown, world: World): void {
  world.out(`${visibleJson(JSON.stringify(value, null, 2))}\n`);
}
