import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** What a target holds at a path. */
export type Held =
  | {
      readonly kind: "nothing" /** Folders that lack on the way, outermost first. */;
      readonly missing: readonly string[];
    }
  | { readonly kind: "file"; readonly content: Buffer }
  /** Something that no file can be written over: a folder, a device, or a file where a folder is needed. */
  | { readonly kind: "blocked"; readonly by: string }
  | { readonly kind: "link"; readonly at: string };

/** Looks at a safe path without ever following a link below the target. */
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
