import type { ArchiveFiles } from "./archive-files.js";

/** The files of an archive under a layer in memory that takes all changes. */
export interface OverlayFiles extends ArchiveFiles {
  /** The changed files, by path. */
  readonly changed: ReadonlyMap<string, Uint8Array>;
}

/**
 * Reads an archive without changing it. Writes stay in memory, where reads see them.
 * @param files the archive below, which is only read
 */
export function overlayOn(files: ArchiveFiles): OverlayFiles {
  const changed = new Map<string, Uint8Array>();
  const removed = new Set<string>();
  const read = async (path: string): Promise<Uint8Array | undefined> =>
    changed.get(path) ?? (removed.has(path) ? undefined : files.read(path));
  const remove = async (path: string): Promise<void> => {
    changed.delete(path);
    removed.add(path);
  };
  return {
    changed,
    read,
    write: async (path, bytes) => {
      changed.set(path, bytes);
    },
    append: async (path, text) => {
      const below = (await read(path)) ?? new Uint8Array();
      // Another call may have appended in the meantime.
      changed.set(path, Buffer.concat([changed.get(path) ?? below, Buffer.from(text)]));
    },
    list: async (path) => {
      const folder = path === "" ? "" : `${path}/`;
      const below = (await files.list(path)).filter((name) => !removed.has(folder + name));
      const own = [...changed.keys()].filter((name) => name.startsWith(folder));
      const names = own.map((name) => name.slice(folder.length).split("/")[0] ?? "");
      return [...new Set([...below, ...names])].sort();
    },
    facts: async (path) => {
      const bytes = changed.get(path);
      // A file in memory has no age.
      if (bytes) return { bytes: bytes.length, changed: Number.POSITIVE_INFINITY };
      return removed.has(path) ? undefined : files.facts(path);
    },
    remove,
    rename: async (path, to) => {
      const bytes = await read(path);
      if (bytes) {
        changed.set(to, bytes);
        await remove(path);
      }
      return bytes !== undefined;
    },
  };
}
