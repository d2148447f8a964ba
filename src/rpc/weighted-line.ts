/** The names that lead to an asker's place in the line, the largest part first. */
export type LinePath = readonly string[];

/** An item whose turn it is. */
export interface Turn<Item> {
  readonly item: Item;
  readonly path: LinePath;
}

/** A part of the line, such as a kind of askers, a project or an asker. */
interface Part<Item> {
  readonly weight: number;
  readonly parts: Map<string, Part<Item>>;
  readonly items: Item[];
  /** How many items wait in it and in its parts. */
  size: number;
  /** The virtual time of its next turn among its siblings. */
  next: number;
  /** The virtual time of the last turn among its own parts. */
  clock: number;
}

/**
 * A line in which askers take turns by what their turns cost: start-time fair queueing, in levels. The parts of the
 * first level have weights, and within each of them all are equal. A part that waits for nothing gets no credit for
 * that, and one that has taken a large turn does not escape its cost by leaving and coming back.
 */
export class WeightedLine<Item> {
  readonly #weightOf: (first: string) => number;
  readonly #all: Part<Item> = partOf(1);

  /** @param weightOf the weight of a part of the first level */
  constructor(weightOf: (first: string) => number) {
    this.#weightOf = weightOf;
  }

  /** How many items wait. */
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

  /** Adds to what an asker's turns have cost. Askers that have had less come first. */
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

  /** The parts that a path leads through, and the whole line before them. */
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

/** Counts an item more. Where none waited, there was no contest, so what turns have cost before does not matter. */
function begun<Item>(part: Part<Item>): Part<Item> {
  if (part.size === 0) {
    part.parts.clear();
    part.clock = 0;
  }
  part.size += 1;
  return part;
}

/** The part that has the next turn among the parts of another. */
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
  // Otherwise they would take many turns in a row as soon as they may.
  for (const part of held) part.next = Math.max(part.next, whole.clock);
  return turn;
}
