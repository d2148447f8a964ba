import type { EnsNames } from "../ens/ens-names.js";
import { Fault, RetriedError } from "../errors.js";

/** Names of ENS as the handlers of one block look them up: each is fetched once, and is the same for all of them. */
export class BlockNames {
  readonly #names: EnsNames | undefined;
  readonly #known = new Map<string, string | null | undefined>();

  constructor(names: EnsNames | undefined) {
    this.#names = names;
  }

  /**
   * The name with a hash; null when there is none.
   * @throws Fault when it was not fetched yet; RetriedError, as on a graph-node, when there are no names at all
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
