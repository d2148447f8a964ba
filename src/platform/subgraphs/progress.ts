import type { HostedStatus } from "../../hosting/engine.js";

/** The progress of a deployment from 0 to 100, not rounded; undefined until the chain head is known. */
export function percentOf({
  startBlock,
  headBlock,
  chainHeadBlock,
  isSynced,
}: Pick<HostedStatus, "startBlock" | "headBlock" | "chainHeadBlock" | "isSynced">): number | undefined {
  if (chainHeadBlock === undefined) return undefined;
  const whole = chainHeadBlock - startBlock + 1;
  if (whole <= 0) return isSynced ? 100 : 0;
  const done = headBlock === undefined ? 0 : headBlock - startBlock + 1;
  return Math.min(100, Math.max(0, (done / whole) * 100));
}
