import type { ArchiveFiles, FileFacts } from "../../../src/datasets/archive/archive-files.js";

/** An archive's files in memory, which tests may damage. */
export class MemoryArchiveFiles implements ArchiveFiles {
  readonly content = new Map<string, Uint8Array>();
  /** When files were changed; missing ones count as changed in 1970. */
  readonly changed = new Map<string, number>();

  copy(): MemoryArchiveFiles {
    const copy = new MemoryArchiveFiles();
    for (const [path, bytes] of this.content) copy.content.set(path, bytes.slice());
    return copy;
  }

  async read(path: string): Promise<Uint8Array | undefined> {
    return this.content.get(path);
  }

  async write(path: string, bytes: Uint8Array): Promise<void> {
    this.content.set(path, bytes.slice());
  }

  async append(path: string, text: string): Promise<void> {
    this.content.set(path, Buffer.concat([this.content.get(path) ?? new Uint8Array(), Buffer.from(text)]));
  }

  async list(path: string): Promise<readonly string[]> {
    const names = [...this.content.keys()].flatMap((key) =>
      path === "" || key.startsWith(`${path}/`) ? [key.slice(path === "" ? 0 : path.length + 1)] : [],
    );
    return [...new Set(names.map((name) => name.split("/")[0] ?? ""))].sort();
  }

  async facts(path: string): Promise<FileFacts | undefined> {
    const bytes = this.content.get(path)?.length;
    return bytes === undefined ? undefined : { bytes, changed: this.changed.get(path) ?? 0 };
  }

  async remove(path: string): Promise<void> {
    this.content.delete(path);
  }

  async rename(path: string, to: string): Promise<boolean> {
    const bytes = this.content.get(path);
    if (bytes) this.content.set(to, bytes);
    return this.content.delete(path);
  }
}
