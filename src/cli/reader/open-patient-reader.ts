import { askIdentity } from "../../datasets/archive/identity.js";
import type { ExtractionSource } from "../../datasets/extract/extraction.js";
import { patientSource } from "../../datasets/extract/patient-source.js";
import type { OpenChainOptions } from "../../machine/open-chain.js";
import { createNodeWorld, pause } from "../../machine/world.js";
import type { ChainIdentity } from "../../runtime/chain/chain-guard.js";
import { createPatience, type Patience } from "../../runtime/chain/rpc/patience.js";
import type { VerifyMode } from "../../runtime/indexer/logs/verification.js";
import { createSource, type SourcePlace } from "../../runtime/sources/create-source.js";
import { type ChainPlace, type ChainReader, openReader, unwritten } from "./open-reader.js";

/** How to read a chain for rows. */
export interface PatientOptions extends Omit<OpenChainOptions, "onRetry" | "signal"> {
  /** Milliseconds of retries. */
  readonly patience: number;
  readonly signal: AbortSignal;
  readonly verify: VerifyMode;
  /** A service with the history of the chain. */
  readonly history?: SourcePlace | undefined;
  /**
   * Called when the reader waits before a retry.
   * @param wait milliseconds
   */
  onRetry(why: string, wait: number): void;
  /** Prints a line. */
  say(text: string): void;
  /**
   * Called, maybe repeatedly, when nothing is added to the archive because the node does not report the final block.
   */
  onRefused(why: string): void;
}

/** A chain whose rows can be extracted, through outages of its node. */
export interface PatientReader {
  readonly reader: ChainReader;
  readonly chainIdentity: ChainIdentity;
  readonly source: ExtractionSource;
  readonly patience: Patience;
}

/**
 * Opens a chain to extract rows from.
 * @param to the last block to read, if there is one
 * @throws ChainError when the node does not answer, or when there is no node and the archive lacks the chain
 */
export async function openPatientReader(
  place: ChainPlace,
  to: number | undefined,
  { verify, say, onRefused, history, ...options }: PatientOptions,
): Promise<PatientReader> {
  const reader = await openReader(place, to, options, {
    onDamage: (why) => say(`part of the archive is not used: ${why}`),
    onTrouble: (why, place) => say(unwritten(why, place)),
    onRefused,
  });
  const chainIdentity = await askIdentity(reader.identity);
  const patience = createPatience({
    patience: options.patience,
    signal: options.signal,
    random: Math.random,
    pause: (wait, why) => {
      options.onRetry(why, wait);
      return pause(wait, options.signal);
    },
  });
  const source = patientSource(reader, chainIdentity.chainId, patience, {
    verify,
    say,
    ...(history && { history: createSource(history, createNodeWorld(options.signal), { onNote: say }) }),
    random: Math.random,
  });
  return { reader, chainIdentity, source, patience };
}
