import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What is at a path in a target. */
export type Held =
  | {
      readonly kind: "nothing" /** The missing parent folders, outermost first. */;
      readonly missing: readonly string[];
    }
  | { readonly kind: "file"; readonly content: Buffer }
  /** Something that a file cannot replace: a folder, a device, or a file in place of a parent folder. */
  | { readonly kind: "blocked"; readonly by: string }
  | { readonly kind: "link"; readonly at: string };

/** Inspects a safe path without following symbolic links below the target. */
export function inspectPath(target: string, path: string): Held {
  const names = path.split("/");
  for (let depth = 1; depth < names.length; depth++) {
    const folder = names.slice(0, depth).join("/");
    const stats = lstatSync(join(target, folder), { throwIfNoEntry: false });
    if (!stats) {
      const missing = names.slice(0, -1).map((_, index) => names.slice(0, index + 1).join("/"));
      return { kind: "nothing", missing: missing.slice(depth - 1) };
    }
    if (stats.isSymbolicLink()) return { kind: "link", at: folder };
    if (!stats.isDirectory()) return { kind: "blocked", by: folder };
  }
  const stats = lstatSync(join(target, path), { throwIfNoEntry: false });
  if (!stats) return { kind: "nothing", missing: [] };
  if (stats.isSymbolicLink()) return { kind: "link", at: path };
  if (!stats.isFile()) return { kind: "blocked", by: path };
  return { kind: "file", content: readFileSync(join(target, path)) };
}
