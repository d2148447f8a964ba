import type { EnsNames } from "../ens/ens-names.js";
import { Fault, RetriedError } from "../errors.js";

/** ENS names for the handlers of one block. Each name is fetched once and is the same for all handlers. */
export class BlockNames {
  readonly #names: EnsNames | undefined;
  readonly #known = new Map<string, string | null | undefined>();

  constructor(names: EnsNames | undefined) {
    this.#names = names;
  }

  /**
   * The name with a hash; `null` when the hash has no name.
   * @throws Fault when it has not been fetched yet; RetriedError, as in graph-node, when no names are known at all
   */
  nameOf(hash: string): string | null {
    if (!this.#known.has(hash)) {
      throw new Fault(async () => {
        this.#known.set(hash, await this.#names?.lookUp(hash));
      });
    }
    const name = this.#known.get(hash);
    if (name !== undefined) return name;
    throw new RetriedError(
      "Missing ENS data: no table of names was imported. See the option --ens-names of graphloom serve and graphloom run",
    );
  }
}
