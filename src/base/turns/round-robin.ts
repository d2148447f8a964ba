/** Round-robin queue: the items of one asker come out in order, and the askers take turns. */
export class RoundRobin<Item> {
  /** In the order of their turns. */
  readonly #askers = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(asker: string): number {
    return this.#askers.get(asker)?.length ?? 0;
  }

  push(asker: string, item: Item): void {
    const own = this.#askers.get(asker);
    if (own) own.push(item);
    else this.#askers.set(asker, [item]);
    this.#size += 1;
  }

  /**
   * Takes the first item of the asker whose turn it is; the asker's next turn comes after all others.
   * @param mayHave skips askers for which it is false; they keep their turn
   */
  shift(mayHave: (asker: string) => boolean = () => true): Item | undefined {
    for (const [asker, own] of this.#askers) {
      if (!mayHave(asker)) continue;
      const item = own.shift();
      this.#size -= 1;
      this.#askers.delete(asker);
      if (own.length > 0) this.#askers.set(asker, own);
      return item;
    }
    return undefined;
  }

  /**
   * Removes an item from its line.
   * @returns whether it was waiting
   */
  remove(asker: string, item: Item): boolean {
    const own = this.#askers.get(asker);
    const at = own?.indexOf(item) ?? -1;
    if (!own || at === -1) return false;
    own.splice(at, 1);
    this.#size -= 1;
    if (own.length === 0) this.#askers.delete(asker);
    return true;
  }
}
