import { inBackground } from "../../base/turns/guarded.js";

/** How preloads read and keep entities. */
export interface PreloadOptions<T> {
  /** Whether the store would have to ask the database for an entity. */
  isUnknown(type: string, id: string): boolean;
  /** Reads entities by id. Every id has a result. @throws DatabaseError */
  read(type: string, ids: readonly string[]): Promise<ReadonlyMap<string, T>>;
  keep(type: string, id: string, known: T): void;
}

/** Ids in one statement. */
const mostAtOnce = 2_000;
/** Ids that wait. More are not worth it: they would be forgotten before they are used. */
const mostWaiting = 10_000;

/**
 * Reads entities before they are needed. While a read is under way, further ids gather for the next one. A failed read is not
 * reported: the entities stay unknown, and reading them when they are needed meets the same error.
 */
export class Preloads<T> {
  readonly #options: PreloadOptions<T>;
  #waiting = new Map<string, Set<string>>();
  #count = 0;
  /** The ids of the read under way whose entities have not been written since it began. */
  #flying: { readonly type: string; readonly ids: Set<string>; readonly landed: Promise<void> } | undefined;

  constructor(options: PreloadOptions<T>) {
    this.#options = options;
  }

  /** Announces that an entity is likely to be needed. */
  expect(type: string, id: string): void {
    if (this.#count >= mostWaiting || this.#flying?.ids.has(id) || !this.#options.isUnknown(type, id)) return;
    const ofType = this.#waiting.get(type) ?? new Set<string>();
    this.#waiting.set(type, ofType);
    if (ofType.has(id)) return;
    ofType.add(id);
    this.#count += 1;
    if (!this.#flying) this.#start();
  }

  /** Waits for the read under way if it reads one of the entities. */
  async settle(type: string, ids: readonly string[]): Promise<void> {
    const flying = this.#flying;
    if (flying?.type === type && ids.some((id) => flying.ids.has(id))) await flying.landed;
  }

  /** Notes that an entity was written, so that what is being read may be an earlier version. */
  written(type: string, id: string): void {
    if (this.#flying?.type === type) this.#flying.ids.delete(id);
  }

  /** Drops everything, including what is being read. */
  clear(): void {
    this.#waiting.clear();
    this.#count = 0;
    this.#flying?.ids.clear();
  }

  #start(): void {
    const [next] = this.#waiting;
    if (!next) return;
    const [type, waiting] = next;
    const ids = new Set([...waiting].slice(0, mostAtOnce));
    for (const id of ids) waiting.delete(id);
    if (waiting.size === 0) this.#waiting.delete(type);
    this.#count -= ids.size;
    const landed = this.#read(type, ids)
      .catch(() => undefined)
      .then(() => {
        this.#flying = undefined;
        this.#start();
      });
    this.#flying = { type, ids, landed };
    inBackground(landed, () => undefined);
  }

  async #read(type: string, ids: Set<string>): Promise<void> {
    // Ids that are announced in the same moment are read together.
    await Promise.resolve();
    const unknown = [...ids].filter((id) => this.#options.isUnknown(type, id));
    if (unknown.length === 0) return;
    const found = await this.#options.read(type, unknown);
    for (const [id, known] of found) if (ids.has(id)) this.#options.keep(type, id, known);
  }
}
