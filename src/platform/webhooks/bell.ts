import type { World } from "../../base/world.js";

/** Wakes who waits for work. A bell that was rung before somebody waits wakes them at once. */
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

  /** Waits until it is rung, or for some milliseconds. One at a time. */
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
