/** The names on the way to an asker's place in the line, the largest part first. */
export type LinePath = readonly string[];

export interface Turn<Item> {
  readonly item: Item;
  readonly path: LinePath;
}

/** A part of the line, such as a kind of askers, a project or an asker. */
interface Part<Item> {
  readonly weight: number;
  readonly parts: Map<string, Part<Item>>;
  readonly items: Item[];
  /** Number of items waiting in it and in its parts. */
  size: number;
  /** The virtual time of its next turn among its siblings. */
  next: number;
  /** The virtual time of the last turn among its parts. */
  clock: number;
}

/**
 * A line in which askers take turns by the cost of their turns: start-time fair queueing, in levels. Parts of the
 * first level have weights; within each part, all are equal. A part gets no credit for time without waiting items,
 * and cannot escape the cost of a large turn by leaving and coming back.
 */
export class WeightedLine<Item> {
  readonly #weightOf: (first: string) => number;
  readonly #all: Part<Item> = partOf(1);

  /** @param weightOf the weight of a part of the first level */
  constructor(weightOf: (first: string) => number) {
    this.#weightOf = weightOf;
  }

  get size(): number {
    return this.#all.size;
  }

  push(path: LinePath, item: Item): void {
    let part = begun(this.#all);
    for (const [level, name] of path.entries()) {
      const { parts, clock } = part;
      part = parts.get(name) ?? partOf(level === 0 ? this.#weightOf(name) : 1);
      parts.set(name, part);
      if (part.size === 0) part.next = Math.max(part.next, clock);
      begun(part);
    }
    part.items.push(item);
  }

  /**
   * Takes the next item. Call `charge` for it before anything else.
   * @param mayHave whether a part of the first level may have a turn now
   */
  shift(mayHave: (first: string) => boolean): Turn<Item> | undefined {
    const path: string[] = [];
    let part = this.#all;
    while (part.items.length === 0) {
      const found = turnIn(part, path.length === 0 ? mayHave : () => true);
      if (!found) return undefined;
      path.push(found.name);
      part = found.part;
    }
    const item = part.items.shift();
    if (item === undefined) return undefined;
    for (const each of this.#along(path)) each.size -= 1;
    return { item, path };
  }

  /** Adds to the cost of an asker's turns. Askers with lower costs come first. */
  charge(path: LinePath, cost: number): void {
    for (const part of this.#along(path)) part.next += cost / part.weight;
  }

  /**
   * Removes an item from the line.
   * @returns whether it was waiting
   */
  remove(path: LinePath, item: Item): boolean {
    const parts = this.#along(path);
    const items = parts.length > path.length ? parts.at(-1)?.items : undefined;
    const at = items?.indexOf(item) ?? -1;
    if (!items || at === -1) return false;
    items.splice(at, 1);
    for (const each of parts) each.size -= 1;
    return true;
  }

  /** The parts along a path, starting with the whole line. */
  #along(path: LinePath): readonly Part<Item>[] {
    const found = [this.#all];
    for (const name of path) {
      const part = found.at(-1)?.parts.get(name);
      if (!part) break;
      found.push(part);
    }
    return found;
  }
}

function partOf<Item>(weight: number): Part<Item> {
  return { weight, parts: new Map(), items: [], size: 0, next: 0, clock: 0 };
}

/** Counts one more item. If no item waited, there was no contest, so earlier costs no longer matter. */
function begun<Item>(part: Part<Item>): Part<Item> {
  if (part.size === 0) {
    part.parts.clear();
    part.clock = 0;
  }
  part.size += 1;
  return part;
}

/** The part with the next turn among the parts of another. */
function turnIn<Item>(
  whole: Part<Item>,
  mayHave: (name: string) => boolean,
): { readonly name: string; readonly part: Part<Item> } | undefined {
  let turn: { readonly name: string; readonly part: Part<Item> } | undefined;
  const held: Part<Item>[] = [];
  for (const [name, part] of whole.parts) {
    if (part.size === 0) {
      if (part.next <= whole.clock) whole.parts.delete(name);
    } else if (!mayHave(name)) held.push(part);
    else if (!turn || part.next < turn.part.next) turn = { name, part };
  }
  if (!turn) return undefined;
  whole.clock = Math.max(whole.clock, turn.part.next);
  // Otherwise they would get many turns in a row once they may have one.
  for (const part of held) part.next = Math.max(part.next, whole.clock);
  return turn;
}
