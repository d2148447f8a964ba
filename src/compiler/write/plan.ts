import { inspectPath } from "./inspect-path.js";
import { type GeneratedFiles, readRecord, recordText, sha256 } from "./record.js";
import { unsafePath } from "./safe-path.js";
import { leadingTo } from "./same-file.js";

/** The files to be written, by path relative to the target. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>;

/** How a target differs from the files it is to hold. */
export interface Plan {
  /** Files that are not there yet or that may be replaced without a question. */
  readonly missing: readonly string[];
  /** Files that are there with another content, with its SHA-256 in hex. */
  readonly different: ReadonlyMap<string, string>;
  /** Those of them that the files are made of. */
  readonly inputs: readonly string[];
  readonly unchanged: readonly string[];
  /** Paths at which something is in the way that is no file, with what that is. */
  readonly blocked: ReadonlyMap<string, string>;
  /** Generated earlier, no longer needed, and as they were generated. */
  readonly extra: readonly string[];
  /** Generated earlier, no longer needed, but changed by the user since. */
  readonly changed: readonly string[];
  /** Folders that lack, outer before inner. */
  readonly folders: readonly string[];
  /** The record found. */
  readonly record: GeneratedFiles;
}

/** A path that must not be written, and why. */
export interface Unsafe {
  readonly kind: "unsafe";
  readonly path: string;
  readonly reason: string;
}

/** Finds fault with the paths themselves, before any file is looked at. */
export function checkPaths(files: ProjectFiles): Unsafe | undefined {
  const spelled = new Map<string, string>();
  for (const path of files.keys()) {
    const reason = unsafePath(path);
    if (reason !== undefined) return { kind: "unsafe", path, reason };
    const twin = spelled.get(path.toLowerCase());
    if (twin !== undefined) return { kind: "unsafe", path, reason: `it differs from "${twin}" in case only` };
    spelled.set(path.toLowerCase(), path);
  }
  for (const path of files.keys()) {
    for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
      const file = spelled.get(path.slice(0, end).toLowerCase());
      if (file !== undefined) return { kind: "unsafe", path, reason: `"${file}" is a file` };
    }
  }
  return undefined;
}

/**
 * Compares a target with the files it is to hold. Changes nothing.
 * @param inputs absolute paths of what the files are made of
 */
export function planChange(
  target: string,
  files: ProjectFiles,
  inputs: ReadonlySet<string> = new Set(),
): Plan | Unsafe {
  const missing: string[] = [];
  const different = new Map<string, string>();
  const unchanged: string[] = [];
  const blocked = new Map<string, string>();
  const folders = new Set<string>();
  for (const [path, content] of files) {
    const held = inspectPath(target, path);
    if (held.kind === "link") return { kind: "unsafe", path, reason: `"${held.at}" is a symbolic link` };
    if (held.kind === "nothing") {
      missing.push(path);
      for (const folder of held.missing) folders.add(folder);
    } else if (held.kind === "blocked") blocked.set(path, held.by);
    else if (held.content.equals(bytesOf(content))) unchanged.push(path);
    else different.set(path, sha256(held.content));
  }
  const record = readRecord(target);
  return {
    ...{ missing, different, unchanged, blocked, folders: [...folders].sort(), record },
    inputs: leadingTo(inputs, target, [...different.keys()]),
    ...leftOver(target, files, record, inputs),
  };
}

/** What was generated earlier and is no longer needed, without what has become the user's own by being read. */
function leftOver(
  target: string,
  files: ProjectFiles,
  record: GeneratedFiles,
  inputs: ReadonlySet<string>,
): Pick<Plan, "extra" | "changed"> {
  const extra: string[] = [];
  const changed: string[] = [];
  for (const [path, hash] of record) {
    if (files.has(path)) continue;
    const held = inspectPath(target, path);
    if (held.kind !== "file") continue;
    (sha256(held.content) === hash ? extra : changed).push(path);
  }
  const own = new Set(leadingTo(inputs, target, extra));
  return { extra: extra.filter((path) => !own.has(path)), changed };
}

/** The bytes a file is to hold. */
export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

/** The record after these files were written; what was generated earlier and stays is still ours to remove. */
export function recordAfter(files: ProjectFiles, staying: readonly string[], before: GeneratedFiles): string {
  const after = new Map([...files].map(([path, content]) => [path, sha256(content)]));
  for (const path of staying) after.set(path, before.get(path) ?? "");
  return recordText(after);
}
