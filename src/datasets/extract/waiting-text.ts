/** Where a chain is. */
export interface ChainPlace {
  readonly head: number;
  /** The last block that no reorganisation replaces; `undefined` if there is none yet. */
  readonly final: number | undefined;
}

/**
 * Says why an extraction up to a last block does not end yet: the block is not there, or may still be replaced.
 * @returns sentences without a full stop at the end, which go after a name and a colon
 */
export function waitingText(last: number, { head, final }: ChainPlace): string {
  const known = final === undefined ? "no block is final yet" : `block ${final} is final`;
  const why = head < last ? `waiting for block ${last}` : `waiting until block ${last} is final`;
  return `${why}. The head of the chain is block ${head}, and ${known}`;
}

/** Tells once that an extraction waits for its last block, and once more when the chain has reached it. */
export class WaitingTeller {
  readonly #last: number;
  readonly #tell: (text: string) => void;
  #told: string | undefined;

  constructor(last: number, tell: (text: string) => void) {
    this.#last = last;
    this.#tell = tell;
  }

  waits(place: ChainPlace): void {
    const kind = place.head < this.#last ? "head" : "final";
    if (this.#told === kind) return;
    this.#told = kind;
    this.#tell(waitingText(this.#last, place));
  }
}
