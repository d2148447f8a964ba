import { wordIn } from "./balance-of.js";

/** How many tokens to query together. */
export const batchSize = 200;
/**
 * The gas of such a call. Nodes allow a call at least as much as a transaction, which is 2^24 on Ethereum.
 */
export const batchGas = "0xf42400";

/**
 * EVM code that asks tokens for the balances of a wallet, as if it created a contract. After the code come the
 * wallet, in 32 bytes, and the tokens, in 20 bytes each. For each token it returns 33 bytes: 1 and the balance; 0 if
 * the token gave none with 500,000 gas; 2 if too little gas was left to ask. No token can use more, and only 32 bytes
 * of its answer are read.
 */
const code = [
  // memory[0..36] = balanceOf(wallet)
  "6370a08231 60e0 1b 6000 52  6020 610067 6004 39",
  // p = 0x60, where results begin; c = where tokens begin
  "6060 610087",
  // loop (0x18): end unless c < codesize
  "5b 38 81 10 15 61005e 57",
  // memory[0x4c..0x60] = token
  "6014 81 604c 39",
  // skip if gas < 2,200,000, which is enough to return the results
  "622191c0 5a 10 61004c 57",
  // ok = staticcall(500000, token, 0, 36, p + 1, 32) and returndatasize > 31
  "6020 82 6001 01 6024 6000 6040 51 6207a120 fa  3d 601f 10 16  61004f 56",
  // skip (0x4c): 2
  "5b 6002",
  // store (0x4f): memory[p] = ok; c += 20; p += 33
  "5b 82 53  6014 01  90 6021 01 90  610018 56",
  // end (0x5e): return memory[0x60..p]
  "5b 50 6060 90 03 6060 f3",
]
  .join("")
  .replaceAll(" ", "");

/** Hex digits of a result: its status, and a number. */
const resultDigits = 66;

/** The code that asks some tokens for the balances of a wallet. */
export function balancesCode(wallet: string, tokens: readonly string[]): string {
  return `0x${code}${wallet.slice(2).padStart(64, "0")}${tokens.map((token) => token.slice(2)).join("")}`;
}

/**
 * Reads the result of the code.
 * @param count the number of tokens
 * @returns `undefined` for a token that gave no balance; `undefined` as a whole if the code cannot have returned this
 */
export function balancesIn(
  answer: string | undefined,
  count: number,
): readonly (bigint | undefined)[] | undefined {
  const digits = answer?.slice(2) ?? "";
  if (digits.length !== count * resultDigits) return undefined;
  return Array.from({ length: count }, (_, index) => {
    const result = digits.slice(index * resultDigits, (index + 1) * resultDigits);
    return result.startsWith("01") ? wordIn(`0x${result.slice(2)}`) : undefined;
  });
}
