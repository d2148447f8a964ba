export interface ChainPlace {
  readonly head: number;
  /** The last final block; `undefined` if there is none yet. */
  readonly final: number | undefined;
}

/**
 * Explains why an extraction with a last block has not ended: the block does not exist yet, or may still be replaced.
 * @returns sentences, the last one without a period
 */
function waitingText(last: number, { head, final }: ChainPlace): string {
  const known = final === undefined ? "no block is final yet" : `block ${final} is final`;
  const why = head < last ? `waiting for block ${last}` : `waiting until block ${last} is final`;
  return `${why}. The head of the chain is block ${head}, and ${known}`;
}

/**
 * Reports once that extractions wait for their last block, and again when the chain has reached it. Extractions that
 * wait for the same block see the chain at different moments, so a new position alone is not news.
 */
export class WaitingTeller {
  readonly #tell: (text: string) => void;
  /** Whether the last report said that the chain had reached the block, by network and block. */
  readonly #told = new Map<string, boolean>();

  constructor(tell: (text: string) => void) {
    this.#tell = tell;
  }

  waits(network: string, last: number, place: ChainPlace): void {
    const awaited = `${network} ${last}`;
    const isReached = place.head >= last;
    const told = this.#told.get(awaited);
    if (told === true || told === isReached) return;
    this.#told.set(awaited, isReached);
    this.#tell(`${network}: ${waitingText(last, place)}.`);
  }
}
