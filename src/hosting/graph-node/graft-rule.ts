import { numberOf, type ToldStatus } from "../../deploy/graph-node/told-status.js";
import { defaultThreshold } from "../../store/deployments/graft.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type { Absence } from "./mirror.js";

/**
 * Checks a graft by graph-node's rule before graph-node is asked. It refuses blocks that may still be replaced.
 * @param told graph-node's status of the base; nothing if it does not have it
 * @throws BundleError
 */
export function checkBase(
  { base, block }: { readonly base: string; readonly block: number },
  told: ToldStatus | undefined,
  absence: Absence | undefined,
): void {
  const refuse = (why: string): BundleError =>
    new BundleError(`graph-node would refuse to graft onto ${base} at block ${block}: ${why}`);
  if (!told) {
    throw refuse(
      absence
        ? `it does not answer, so the state of the base is unknown: ${absence.why}`
        : "it does not have the base",
    );
  }
  const head = numberOf(told.latestBlock);
  if (head === undefined) throw refuse("it has not indexed any block of the base yet");
  const settled = head - defaultThreshold;
  if (block <= settled) return;
  throw refuse(
    `the base has reached block ${head}, and the chain may still replace the last ${defaultThreshold} blocks. ` +
      (settled < 0 ? "Wait until it has more blocks" : `Graft at block ${settled} or earlier, or wait`) +
      ". Set skip_graft_validation to ask graph-node anyway: its setting may differ",
  );
}
