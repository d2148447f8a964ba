import type { ArchiveFiles } from "../../../src/datasets/archive/archive-files.js";

/** Someone whose operations on files are carried out one at a time, when it is their turn. */
export class Actor {
  #waiting: (() => void) | undefined;
  #isDone = false;

  /** The files as the actor sees them. */
  on(files: ArchiveFiles): ArchiveFiles {
    return new Proxy(files, {
      get: (_, name: keyof ArchiveFiles) => async (path: string, more: never) => {
        await new Promise<void>((resolve) => {
          this.#waiting = resolve;
        });
        return files[name](path, more);
      },
    });
  }

  start(work: () => Promise<void>): Promise<void> {
    return work().finally(() => {
      this.#isDone = true;
    });
  }

  /** Lets one operation be carried out. @returns whether there was one */
  async step(): Promise<boolean> {
    await this.#settle();
    const go = this.#waiting;
    this.#waiting = undefined;
    go?.();
    await this.#settle();
    return go !== undefined;
  }

  async #settle(): Promise<void> {
    while (!this.#waiting && !this.#isDone) await new Promise(setImmediate);
  }
}
