import { posix } from "node:path";

/** The modules that a source names in imports and exports. May include text in comments, which is harmless. */
export function importsIn(text: string): readonly string[] {
  const found = text.matchAll(/\b(?:from|import)\s*(?:"([^"\n]+)"|'([^'\n]+)'|`([^`\n$]+)`)/g);
  return [...new Set([...found].map(([, a, b, c]) => a ?? b ?? c ?? ""))];
}

/**
 * The path that a relative import leads to, as the AssemblyScript compiler resolves it: it adds the extension, even
 * to a path that has one.
 * @param from the path of the importing file
 */
export function resolveImport(from: string, module: string): string {
  const path = posix.normalize(posix.join(posix.dirname(from), module));
  return path.endsWith("/") ? `${path}index` : path;
}

/** Whether an import is relative to the importing file, rather than from a package. */
export function isRelative(module: string): boolean {
  return module.startsWith(".");
}

/** A package module's name without the compiler's prefix. */
export function packageModule(module: string): string {
  return module.replace(/^~lib\//, "").replace(/\/$/, "/index");
}

/** The files that a path without extension may mean, in the compiler's order. */
export function candidates(path: string): readonly [string, string] {
  return [`${path}.ts`, `${path}/index.ts`];
}
