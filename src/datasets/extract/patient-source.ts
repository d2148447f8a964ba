import { chainOfId } from "../../chains/look-up-chain.js";
import type { Patience } from "../../runtime/chain/rpc/patience.js";
import { createPatientChain } from "../../runtime/chain/rpc/patient-chain.js";
import { leftOutText, Verification, type VerifyMode } from "../../runtime/indexer/logs/verification.js";
import type { ReadableChain } from "../archive/readable-chain.js";
import type { ExtractionSource } from "./extraction.js";

/**
 * A source for extraction from an open chain that survives outages of its node.
 * @param chainId decimal digits
 * @param say receives what is left out or unproved
 */
export function patientSource(
  { chain, archived }: Pick<ReadableChain, "chain" | "archived">,
  chainId: string,
  patience: Patience,
  { verify, say }: { readonly verify: VerifyMode; say(text: string): void },
): ExtractionSource {
  const notes = {
    onLeftOut: (block: number, logs: number) => say(leftOutText(block, logs)),
    onUnproved: say,
  };
  return {
    chain: createPatientChain(chain, patience),
    verification: new Verification(verify, notes, chainOfId(chainId)?.rootException, chainId),
    ...(archived && { archive: archived }),
  };
}
