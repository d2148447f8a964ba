import { inspectPath } from "./inspect-path.js";
import { type GeneratedFiles, recordText, sha256 } from "./record.js";
import { unsafePath } from "./safe-path.js";
import { leadingTo } from "./same-file.js";

/** The project's files, by path relative to the target. */
export type ProjectFiles = ReadonlyMap<string, string | Uint8Array>;

/** The differences between a target and the project's files. */
export interface Plan {
  /** Files that do not exist, or that may be replaced without force. */
  readonly missing: readonly string[];
  /** Existing files with different content, and the SHA-256 of that content as hex. */
  readonly different: ReadonlyMap<string, string>;
  /** The different files that are inputs of the project. */
  readonly inputs: readonly string[];
  readonly unchanged: readonly string[];
  /** Blocked paths, and for each the blocking path, which is not a file. */
  readonly blocked: ReadonlyMap<string, string>;
  /** Unchanged files in the record that are no longer generated. */
  readonly extra: readonly string[];
  /** Files in the record that are no longer generated, but that the user changed. */
  readonly changed: readonly string[];
  /** Missing folders, parents first. */
  readonly folders: readonly string[];
  /** The existing record. */
  readonly record: GeneratedFiles;
}

/** A path that must not be written, and why. */
export interface Unsafe {
  readonly kind: "unsafe";
  readonly path: string;
  readonly reason: string;
}

/** Checks the paths themselves, before any file is read. */
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
 * Compares a target with the project's files. Read-only.
 * @param record the files that earlier runs generated
 * @param inputs absolute paths of the project's inputs
 */
export function planChange(
  target: string,
  files: ProjectFiles,
  record: GeneratedFiles,
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
  return {
    missing,
    different,
    unchanged,
    blocked,
    folders: [...folders].sort(),
    record,
    inputs: leadingTo(inputs, target, [...different.keys()]),
    ...leftOver(target, files, record, inputs),
  };
}

/**
 * Files in the record that are no longer generated, except files that are inputs now and so belong to the
 * user.
 */
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

/** The content of a file as bytes. */
export function bytesOf(content: string | Uint8Array): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

/**
 * The record after writing these files. Older generated files that stay on disk remain in it, so that they
 * can be removed later.
 */
export function recordAfter(files: ProjectFiles, staying: readonly string[], before: GeneratedFiles): string {
  const after = new Map([...files].map(([path, content]) => [path, sha256(content)]));
  for (const path of staying) after.set(path, before.get(path) ?? "");
  return recordText(after);
}
