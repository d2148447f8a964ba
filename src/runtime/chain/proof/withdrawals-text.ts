import type { Withdrawal } from "../chain.js";

/** Withdrawals as a list in JSON, with the names that ethereum-etl gives their fields. Its integers are exact. */
export function withdrawalsText(withdrawals: readonly Withdrawal[]): string {
  const all = withdrawals.map(
    ({ index, validatorIndex, address, amount }) =>
      `{"index":${index},"validator_index":${validatorIndex},"address":"${address}","amount":${amount}}`,
  );
  return `[${all.join(",")}]`;
}

const written = /\{"index":(\d+),"validator_index":(\d+),"address":"(0x[0-9a-f]+)","amount":(\d+)\}/g;

/** The withdrawals of a text that `withdrawalsText` has made. */
export function withdrawalsOf(text: string): readonly Withdrawal[] {
  return [...text.matchAll(written)].map(([, index = "", validator = "", address = "", amount = ""]) => ({
    index: BigInt(index),
    validatorIndex: BigInt(validator),
    address,
    amount: BigInt(amount),
  }));
}
