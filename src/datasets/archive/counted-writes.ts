import type { ArchiveFiles } from "./archive-files.js";

/** The files of an archive, with a count of added bytes. */
export interface CountedFiles extends ArchiveFiles {
  /** Bytes added so far, minus bytes removed. */
  readonly growth: number;
}

/** Counts the bytes that this process writes to an archive's files. */
export function countWrites(files: ArchiveFiles): CountedFiles {
  let growth = 0;
  const sizeOf = async (path: string): Promise<number> => (await files.facts(path))?.bytes ?? 0;
  return {
    get growth() {
      return growth;
    },
    read: (path) => files.read(path),
    list: (path) => files.list(path),
    facts: (path) => files.facts(path),
    write: async (path, bytes) => {
      const before = await sizeOf(path);
      await files.write(path, bytes);
      growth += bytes.length - before;
    },
    append: async (path, text) => {
      await files.append(path, text);
      growth += Buffer.byteLength(text);
    },
    remove: async (path) => {
      const before = await sizeOf(path);
      await files.remove(path);
      growth -= before;
    },
    rename: async (path, to) => {
      const before = await sizeOf(to);
      const isThere = await files.rename(path, to);
      if (isThere) growth -= before;
      return isThere;
    },
  };
}
