import type { HistorySource } from "../indexer/history/history-source.js";

/** Turns at a service that several runs share. */
export interface SourceTurns {
  /** Waits for a turn. @returns `undefined` if there is none in time */
  take(): Promise<SourceTurn | undefined>;
}

export interface SourceTurn {
  /** Returns the turn. @returns whether others wait for theirs */
  giveBack(): Promise<boolean>;
}

/**
 * A service with history that reads each range in its turn. While others wait, nothing is read ahead between two ranges.
 * @param onNote receives one sentence, the first time that there is no turn
 */
export function takingTurns(
  source: HistorySource,
  turns: SourceTurns,
  onNote: (why: string) => void,
): HistorySource {
  let hasTold = false;
  return {
    name: source.name,
    reach: () => source.reach(),
    blocks: async (range, filter) => {
      const turn = await turns.take();
      if (!turn) {
        if (!hasTold)
          onNote(
            `the source ${source.name}: others are using it. Until it is free, blocks are read from the node`,
          );
        hasTold = true;
        return undefined;
      }
      try {
        return await source.blocks(range, filter);
      } finally {
        if (await turn.giveBack()) source.forget();
      }
    },
    refuse: (why) => source.refuse(why),
    forget: () => source.forget(),
  };
}
