/** balanceOf(address) */
const selector = "0x70a08231";
export const totalSupply = "0x18160ddd";

/** The call that asks a token's contract for the balance of a wallet. */
export function balanceOf(wallet: string): string {
  return `${selector}${wallet.slice(2).padStart(64, "0")}`;
}

/** The number at the start of an answer; `undefined` if the answer is too short. */
export function wordIn(answer: string | undefined): bigint | undefined {
  return answer !== undefined && /^0x[\da-f]{64}/i.test(answer) ? BigInt(answer.slice(0, 66)) : undefined;
}
