import { numberOf, type ToldStatus } from "../../deploy/graph-node/told-status.js";
import { defaultThreshold } from "../../store/deployments/graft.js";
import { BundleError } from "../../subgraph/bundle-error.js";
import type { Absence } from "./mirror.js";

/**
 * Checks a graft by graph-node's rule, before it is asked: it refuses blocks that may still be replaced.
 * @param told what it tells of the base; nothing when it does not have it
 * @throws BundleError
 */
export function checkBase(
  { base, block }: { readonly base: string; readonly block: number },
  told: ToldStatus | undefined,
  absence: Absence | undefined,
): void {
  const refuse = (why: string): BundleError =>
    new BundleError(`graph-node would not graft onto ${base} at block ${block}: ${why}`);
  if (!told) {
    throw refuse(
      absence ? `it does not answer, so that the base is not known: ${absence.why}` : "it does not have it",
    );
  }
  const head = numberOf(told.latestBlock);
  if (head === undefined) throw refuse("it has indexed nothing of it yet");
  const settled = head - defaultThreshold;
  if (block <= settled) return;
  throw refuse(
    `it has come to block ${head}, and takes the last ${defaultThreshold} blocks for ones that may be replaced. ` +
      (settled < 0 ? "Wait until it is further" : `Graft at block ${settled} or before, or wait`) +
      ". With skip_graft_validation, graph-node is asked all the same: it may be set otherwise",
  );
}
