import { id } from "ethers/hash";
import type { Log } from "../../runtime/chain/chain.js";
import type { DatasetRow } from "../tables/dataset.js";
import { erc20Row, transferTopics } from "./transfer-rows.js";

/** First topics of the events for wrapping and unwrapping native coins. */
const deposit = id("Deposit(address,uint256)");
const withdrawal = id("Withdrawal(address,uint256)");
export const wrappingTopics: readonly string[] = [deposit, withdrawal];

const zeroWord = `0x${"0".repeat(64)}`;

/**
 * The row of a deposit or withdrawal of wrapped native coins in `erc20_transfers`: a transfer from or to the zero
 * address.
 * @param logs the logs of its block
 * @returns `undefined` for another log, and if the contract also emits a transfer for it in the same transaction
 */
export function wrappingRow(log: Log, timestamp: bigint, logs: readonly Log[]): DatasetRow | undefined {
  const transfer = asTransfer(log);
  if (!transfer) return undefined;
  // Leave out as many equal ones as there are transfers.
  const before = logs.filter((other) => other.logIndex < log.logIndex && isEqual(other, log));
  const transfers = logs.filter((other) => isEqual(other, transfer));
  return before.length < transfers.length ? undefined : erc20Row(transfer, timestamp);
}

function asTransfer(log: Log): Log | undefined {
  const [event, owner, more] = log.topics;
  if (!owner || more !== undefined) return undefined;
  if (event === deposit) return { ...log, topics: [transferTopics.transfer, zeroWord, owner] };
  if (event === withdrawal) return { ...log, topics: [transferTopics.transfer, owner, zeroWord] };
  return undefined;
}

/** Whether two logs of a transaction say the same thing. */
function isEqual(one: Log, other: Log): boolean {
  return (
    one.address === other.address &&
    one.transactionHash === other.transactionHash &&
    one.data === other.data &&
    one.topics.join() === other.topics.join()
  );
}
