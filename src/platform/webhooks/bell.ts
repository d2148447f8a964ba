import type { World } from "../../base/world.js";

/** Wakes a loop that waits for work. A ring before the wait ends that wait at once. */
export class Bell {
  readonly #world: Pick<World, "timeout">;
  #isRung = false;
  #wake: (() => void) | undefined;

  constructor(world: Pick<World, "timeout">) {
    this.#world = world;
  }

  ring(): void {
    this.#isRung = true;
    this.#wake?.();
  }

  /** Waits for a ring, but no longer than some milliseconds. Only one caller may wait at a time. */
  async wait(milliseconds: number): Promise<void> {
    if (!this.#isRung) {
      const late = this.#world.timeout(milliseconds);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        late.addEventListener("abort", () => resolve(), { once: true });
      });
      this.#wake = undefined;
    }
    this.#isRung = false;
  }
}
