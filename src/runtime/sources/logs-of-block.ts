import { isRecord } from "../../base/text/json-value.js";
import type { Block, Log } from "../chain/chain.js";
import { objectsOf } from "../chain/fields.js";
import { areSameLog, clashOf, inOrder } from "../chain/log-order.js";
import { decodeLogs } from "../chain/rpc/decode-block.js";
import { SourceFault } from "./source-fault.js";

/**
 * Decodes the logs of a block, in order.
 * @param place what messages call the text they are in
 * @param whose what it is a part of: `its stream`
 * @throws ChainError, ReorgError if they are malformed; SourceFault if two logs have one index
 */
export function logsOfBlock(
  rows: readonly unknown[],
  { number, hash }: Block,
  { place, whose }: { readonly place: string; readonly whose: string },
): readonly Log[] {
  const raw = rows.map((row) =>
    isRecord(row) ? { ...row, blockNumber: `0x${number.toString(16)}`, blockHash: hash } : row,
  );
  const logs = inOrder(decodeLogs(objectsOf(place, raw)));
  const clash = clashOf(logs);
  if (clash && !areSameLog(...clash))
    throw new SourceFault("passing", `block ${number} of ${whose} has two logs with one index`);
  return logs;
}
