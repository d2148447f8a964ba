import type { Asker } from "../../src/rpc/asker.js";

/** A client of the edge, in a project of its own. */
export function askerNamed(name: string): Asker {
  return { kind: "edge", project: name, name: "" };
}
