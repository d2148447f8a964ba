import { wordIn } from "../nodes/balance-of.js";
import type { DataNode } from "../nodes/data-node.js";
import type { TokenMetadata } from "./catalog-rows.js";

const selectors = { symbol: "0x95d89b41", name: "0x06fdde03", decimals: "0x313ce567" } as const;
/** The most characters of a name to keep. */
const longestName = 200;

/**
 * Asks a token's contract for its symbol, name and decimals. Names may have the type `string`, or `bytes32` in early
 * tokens.
 * @returns null for values that the contract does not return
 * @throws ChainError if the node does not answer
 */
export async function readMetadata(
  chain: string,
  token: string,
  node: DataNode,
  blockHash: string,
): Promise<TokenMetadata> {
  const [symbol, name, decimals] = await Promise.all([
    node.call(token, selectors.symbol, blockHash),
    node.call(token, selectors.name, blockHash),
    node.call(token, selectors.decimals, blockHash),
  ]);
  return { chain, token, symbol: textIn(symbol), name: textIn(name), decimals: decimalsIn(decimals) };
}

/** The text of an answer of either type; null if it holds none. */
export function textIn(answer: string | undefined): string | null {
  if (answer === undefined || !/^0x(?:[\da-f]{2})*$/i.test(answer)) return null;
  const bytes = Buffer.from(answer.slice(2), "hex");
  if (bytes.length === 32) return clean(bytes.subarray(0, bytes.includes(0) ? bytes.indexOf(0) : 32));
  if (bytes.length < 64) return null;
  const [offset, length] = [numberIn(bytes, 0), numberIn(bytes, numberIn(bytes, 0))];
  if (offset + 32 + length > bytes.length) return null;
  return clean(bytes.subarray(offset + 32, offset + 32 + length));
}

/** The word at an offset, limited to the possible length of an answer. */
function numberIn(bytes: Buffer, at: number): number {
  if (at + 32 > bytes.length) return Number.POSITIVE_INFINITY;
  const word = BigInt(`0x${bytes.subarray(at, at + 32).toString("hex")}`);
  return word > BigInt(bytes.length) ? Number.POSITIVE_INFINITY : Number(word);
}

/**
 * Joiners that combine several signs into one: in emoji, and in scripts whose letters change with their neighbours.
 * Elsewhere they are invisible, and make two names look alike.
 */
const scripts = [
  "Arab",
  "Syrc",
  "Mong",
  "Deva",
  "Beng",
  "Guru",
  "Gujr",
  "Orya",
  "Taml",
  "Telu",
  "Knda",
  "Mlym",
  "Sinh",
];
const joined = `[${scripts.map((script) => `\\p{Script=${script}}`).join("")}]`;
const joiner = new RegExp(
  [
    "(?<=\\p{Extended_Pictographic}[\\uFE0F\\p{Emoji_Modifier}]*)\\u200D(?=\\p{Extended_Pictographic})",
    `(?<=${joined})[\\u200C\\u200D](?=${joined})`,
  ].join("|"),
  "gu",
);
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\uFFFD]/gu;

/** Contracts' answers are printed and stored, so control characters and invalid UTF-8 are removed. */
function clean(bytes: Uint8Array): string | null {
  const text = [...visible(new TextDecoder().decode(bytes)).trim()].slice(0, longestName).join("");
  // A joiner at the end joins nothing.
  return text === "" ? null : visible(text);
}

function visible(text: string): string {
  let shown = "";
  let from = 0;
  for (const { index, 0: kept } of text.matchAll(joiner)) {
    shown += text.slice(from, index).replace(invisible, "") + kept;
    from = index + kept.length;
  }
  return shown + text.slice(from).replace(invisible, "");
}

/** Ignores bytes after the number, as callers on the chain do. */
function decimalsIn(answer: string | undefined): number | null {
  const number = wordIn(answer);
  return number !== undefined && number <= 255n ? Number(number) : null;
}
