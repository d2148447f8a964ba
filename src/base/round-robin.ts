/** Round-robin queue: the items of one asker come out in order, and the askers take turns. */
export class RoundRobin<Item> {
  /** In the order of their turns. */
  readonly #askers = new Map<string, Item[]>();
  #size = 0;

  /** Number of waiting items. */
  get size(): number {
    return this.#size;
  }

  /** Number of waiting items of one asker. */
  sizeOf(asker: string): number {
    return this.#askers.get(asker)?.length ?? 0;
  }

  push(asker: string, item: Item): void {
    const own = this.#askers.get(asker);
    if (own) own.push(item);
    else this.#askers.set(asker, [item]);
    this.#size += 1;
  }

  /** Takes the first item of the asker whose turn it is; the asker's next turn comes after those of all others. */
  shift(): Item | undefined {
    const [turn] = this.#askers;
    if (!turn) return undefined;
    const [asker, own] = turn;
    const item = own.shift();
    this.#size -= 1;
    this.#askers.delete(asker);
    if (own.length > 0) this.#askers.set(asker, own);
    return item;
  }
}
