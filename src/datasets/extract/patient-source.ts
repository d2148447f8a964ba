import { chainOfId } from "../../chains/look-up-chain.js";
import type { Patience } from "../../runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../runtime/chain/rpc/patient-chain.js";
import { History } from "../../runtime/indexer/history/history.js";
import type { HistorySource } from "../../runtime/indexer/history/history-source.js";
import { leftOutText, Verification, type VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { ReadableChain } from "../archive/readable-chain.js";
import type { ExtractionSource } from "./extraction.js";

export interface PatientSourceOptions {
  readonly verify: VerifyMode;
  say(text: string): void;
  readonly history?: HistorySource | undefined;
  /** Chooses what is compared with the node: at least 0 and less than 1. */
  random?(): number;
}

/**
 * A source for extraction from an open chain that survives outages of its node.
 * @param chainId decimal digits
 * @param options.say receives what is left out or unproved
 * @param options.history serves final ranges of filtered logs
 */
export function patientSource(
  { chain, archived }: Pick<ReadableChain, "chain" | "archived">,
  chainId: string,
  patience: Patience,
  { verify, say, history, random = () => 0.5 }: PatientSourceOptions,
): ExtractionSource {
  const notes = {
    onLeftOut: (block: number, logs: number) => say(leftOutText(block, logs)),
    onUnproved: say,
  };
  const checked =
    history && new History(history, chain, patience, { hasArchive: archived !== undefined, random });
  return {
    chain: createPatientChain(chain, patience),
    ...(checked && { history: { history: checked, chain: createPatientChain(checked.chain, patience) } }),
    verification: new Verification(verify, notes, chainOfId(chainId)?.rootException, chainId),
    ...(archived && { archive: archived }),
  };
}
