import { type Block, ReorgError } from "../../runtime/chain/chain.js";
import { extract } from "../extract/extract.js";
import { type Extraction, type ExtractionSource, forgetUnconfirmed } from "../extract/extraction.js";
import { Pace } from "../extract/pace.js";
import { dayOfTime, type WindowSource } from "./window-source.js";

export type WantedRows = Pick<Extraction, "kind" | "addresses" | "decoder">;

export interface ChainWindowOptions {
  readonly newest: number;
  /**
   * Waits before reading a window again after the node contradicted itself.
   * @throws an error to give up
   */
  onReorg(error: ReorgError): Promise<void>;
}

/** Ranges of a window to request at the same time. */
const parallel = 4;

/** The first block at or after a number, which itself may have no block. */
async function firstBlock({ chain }: ExtractionSource, from: number, newest: number): Promise<Block> {
  for (let number = from; number <= newest; number++) {
    const [block] = await chain.blocks([number]);
    if (block) return block;
  }
  throw new ReorgError(`the node says that there is no block from ${from} to its head, ${newest}`);
}

/** The windows of a chain. They throw as `extract` does. */
export function chainWindows(
  source: ExtractionSource,
  what: WantedRows,
  { newest, onReorg }: ChainWindowOptions,
): WindowSource {
  const extraction = { ...what, parallel, pace: new Pace() };
  return {
    async open({ from, to }) {
      const span = Math.ceil((to - from + 1) / parallel);
      const day = dayOfTime((await firstBlock(source, from, newest)).timestamp);
      return { day, batches: extract(source, { ...extraction, from, to, span }, newest) };
    },
    async again(error) {
      if (!(error instanceof ReorgError)) throw error;
      forgetUnconfirmed(source);
      await onReorg(error);
    },
  };
}
