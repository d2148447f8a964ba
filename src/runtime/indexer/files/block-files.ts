import { ChainError } from "../../chain/chain.js";
import { Fault, RetriedError } from "../../errors.js";
import type { Files } from "../../files/files.js";

/** Files for the handlers of one block. Each file is fetched once and is the same for all handlers. */
export class BlockFiles {
  readonly #files: Files | undefined;
  readonly #known = new Map<string, Uint8Array | undefined>();

  constructor(files: Files | undefined) {
    this.#files = files;
  }

  /**
   * The content of a file; `undefined` when it is unavailable.
   * @throws Fault, whose `fetch` throws a ChainError when no gateway is set
   */
  read(path: string): Uint8Array | undefined {
    if (this.#known.has(path)) return this.#known.get(path);
    throw new Fault(async () => {
      if (!this.#files)
        throw new ChainError(
          "A handler reads a file from IPFS, but no IPFS gateway is set. Pass one with --ipfs <address>",
        );
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
