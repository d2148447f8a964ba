import { PlayedFeed } from "../played-feed.js";
import { finality, PlayedChain } from "../played-source.js";
import { randomOf } from "../random.js";

/** What a schedule has played. */
export interface Played {
  readonly chain: PlayedChain;
  readonly feed: PlayedFeed;
}

/**
 * What happens in the sources of a flow, in rounds that a seed determines. Every fourth schedule replaces 64 blocks at
 * once in its second round, the most that is possible; all others as many as their rounds have happened to mine. Another fourth begins with blocks that are final already, which come to
 * a sink together.
 */
export class Schedule implements Played {
  readonly chain: PlayedChain;
  readonly feed: PlayedFeed;
  /** Reorganisations so far. */
  reorganisations = 0;
  /** The most blocks that were replaced at once. */
  deepest = 0;
  readonly #random: () => number;
  readonly #isDeep: boolean;
  /** Blocks that are there before the first round. */
  readonly #early: number;
  readonly #isFinal: boolean;
  #round = 0;

  /** @param isFinal mines enough in each round for blocks to become final */
  constructor(seed: number, isFinal = false) {
    this.#random = randomOf(seed);
    this.#isDeep = seed % 4 === 0;
    this.#early = this.#isDeep ? finality : seed % 4 === 1 ? finality + 26 : 0;
    this.#isFinal = isFinal;
    this.chain = new PlayedChain(this.#random);
    this.feed = new PlayedFeed(this.#random);
  }

  /** Plays the next round. */
  play(): void {
    const random = this.#random;
    const least = this.#isFinal ? 20 : 0;
    for (let count = least + Math.floor(random() * 12); count >= 0; count -= 1) this.chain.mine();
    for (let count = Math.floor(random() * 6); count > 0; count -= 1) this.feed.change();
    if (this.#round === 0) for (let count = 0; count < this.#early; count += 1) this.chain.mine();
    const deepest = random() < 0.2 || this.#isFinal ? finality : 8;
    const depth = 1 + Math.floor(random() * deepest);
    if (this.#isDeep && this.#round === 1) this.#reorganise(finality);
    else if (random() < 0.6) this.#reorganise(depth);
    this.#round += 1;
  }

  #reorganise(depth: number): void {
    this.reorganisations += 1;
    this.deepest = Math.max(this.deepest, Math.min(depth, this.chain.blocks.length));
    this.chain.reorganise(depth);
  }
}
