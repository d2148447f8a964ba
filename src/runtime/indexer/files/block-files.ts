import { Fault, RetriedError } from "../../errors.js";
import { type Files, joinFiles } from "../../files/files.js";

/** Files for the handlers of one block. Each file is fetched once and is the same for all handlers. */
export class BlockFiles {
  readonly #files: Files;
  readonly #known = new Map<string, Uint8Array | undefined>();

  constructor(files: Files = joinFiles({})) {
    this.#files = files;
  }

  /**
   * The content of a file; `undefined` when it is unavailable.
   * @throws Fault, whose `fetch` throws as `Files.read` does
   */
  read(path: string): Uint8Array | undefined {
    if (this.#known.has(path)) return this.#known.get(path);
    throw new Fault(async () => {
      this.#known.set(path, await this.#files.read(path));
    });
  }

  /**
   * The content of a file that a handler needs to continue.
   * @throws Fault, as `read` does; RetriedError when the file is unavailable
   */
  readNeeded(path: string): Uint8Array {
    const content = this.read(path);
    if (content) return content;
    throw new RetriedError(`The IPFS gateway does not have ${path}, which a handler needs`);
  }
}
