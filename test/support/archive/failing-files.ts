import type { ArchiveFiles, FileFacts } from "../../../src/datasets/archive/archive-files.js";

/**
 * `throws`: every operation from one on is an error. `throws once`: one operation is. `crashes`: one operation is carried
 * out in part, and nothing after it; no caller learns of it, because the process is gone.
 */
export type Failure = "throws" | "throws once" | "crashes";

/** The files of an archive, which fail at one operation. */
export class FailingArchiveFiles implements ArchiveFiles {
  readonly #files: ArchiveFiles;
  readonly #failure: Failure;
  readonly #at: number;
  #operations = 0;

  /** @param at the operation that fails, counted from 0; what only reads counts where it may throw */
  constructor(files: ArchiveFiles, failure: Failure, at: number) {
    this.#files = files;
    this.#failure = failure;
    this.#at = at;
  }

  get hasFailed(): boolean {
    return this.#operations > this.#at;
  }

  read(path: string): Promise<Uint8Array | undefined> {
    this.#count(this.#failure !== "crashes");
    return this.#files.read(path);
  }

  /** What a crash leaves of a file is a part of its draft. */
  async write(path: string, bytes: Uint8Array): Promise<void> {
    const step = this.#count(true);
    if (step === "whole") return this.#files.write(path, bytes);
    if (step === "part")
      await this.#files.write(`${path}.0123456789ab.tmp`, bytes.slice(0, bytes.length >> 1));
  }

  /** What a crash leaves of a line is its beginning. */
  async append(path: string, text: string): Promise<void> {
    const step = this.#count(true);
    if (step === "whole") return this.#files.append(path, text);
    if (step === "part") await this.#files.append(path, text.slice(0, text.length >> 1));
  }

  list(path: string): Promise<readonly string[]> {
    return this.#files.list(path);
  }

  /** A crashed process does not check whether its files exist. */
  async facts(path: string): Promise<FileFacts | undefined> {
    const hasCrashed = this.#failure === "crashes" && this.hasFailed;
    return hasCrashed ? { bytes: 0, changed: 0 } : this.#files.facts(path);
  }

  async remove(path: string): Promise<void> {
    if (this.#count(true) === "whole") await this.#files.remove(path);
  }

  async rename(path: string, to: string): Promise<boolean> {
    return this.#count(true) === "whole" && this.#files.rename(path, to);
  }

  /** Counts an operation. @returns how much of it is carried out @throws Error when it fails aloud */
  #count(isCounted: boolean): "whole" | "part" | "nothing" {
    if (!isCounted) return "whole";
    const step = this.#operations++;
    if (step < this.#at) return "whole";
    if (this.#failure === "crashes") return step === this.#at ? "part" : "nothing";
    if (step === this.#at || this.#failure === "throws") throw new Error("the disk fails");
    return "whole";
  }
}
