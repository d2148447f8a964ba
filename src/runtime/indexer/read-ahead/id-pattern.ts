import type { Log, Block as WholeBlock } from "../../chain/chain.js";

/** What an id consists of: literal text, and texts of the log by their position among its words. */
export type IdPattern = readonly (string | number)[];

/** Shorter numbers occur in ids by chance. */
const shortestNumber = 3;
const longestId = 400;
const mostDataWords = 8;
const wordDigits = 64;
const addressDigits = 40;
/** Each parameter has three texts: all 32 bytes, an address, and a number in decimal digits. */
const textsPerWord = 3;
const topicsWithParameters = 3;
const others: readonly ((log: Log, block: Block) => string)[] = [
  ({ address }) => address.slice(2),
  ({ transactionHash }) => transactionHash.slice(2),
  ({ transactionHash }, { transactions }) => transactions.get(transactionHash)?.from.slice(2) ?? "",
  ({ transactionHash }, { transactions }) => transactions.get(transactionHash)?.to?.slice(2) ?? "",
  ({ logIndex }) => String(logIndex),
  (_, { number }) => String(number),
];
const ofParameters = (topicsWithParameters + mostDataWords) * textsPerWord;
const wordCount = ofParameters + others.length;

/** The parts of a block from which ids are made. */
export type Block = Pick<WholeBlock, "number" | "transactions">;

/**
 * A text of a log from which handlers make ids, without 0x: of a parameter, of the contract, the transaction, its two accounts,
 * the log's index or the block's number.
 * @param index the same for all logs with the same topics
 * @returns an empty text if the log lacks it
 */
function wordOf(log: Log, block: Block, index: number): string {
  const other = others[index - ofParameters];
  if (other) return other(log, block);
  const place = Math.floor(index / textsPerWord) - topicsWithParameters;
  const start = 2 + place * wordDigits;
  const word =
    place < 0
      ? (log.topics[place + topicsWithParameters + 1]?.slice(2) ?? "")
      : log.data.slice(start, start + wordDigits);
  if (word.length < wordDigits) return "";
  const form = index % textsPerWord;
  if (form === 0) return word;
  if (form === 1) return word.slice(-addressDigits);
  return /^0{40}/.test(word) ? String(BigInt(`0x${word}`)) : "";
}

/**
 * How an id is made from the words of its log: at each place, from the longest word that stands there.
 * @returns `undefined` if no word occurs in it
 */
export function patternOf(id: string, log: Log, block: Block): IdPattern | undefined {
  if (id.length > longestId) return undefined;
  const words = Array.from({ length: wordCount }, (_, index) => wordOf(log, block, index));
  const pattern: (string | number)[] = [];
  let literal = "";
  let at = 0;
  while (at < id.length) {
    const found = wordAt(id, at, words);
    if (found === undefined) literal += id[at++];
    else {
      if (literal !== "") pattern.push(literal);
      literal = "";
      pattern.push(found);
      at += words[found]?.length ?? 0;
    }
  }
  if (pattern.length === 0) return undefined;
  return literal === "" ? pattern : [...pattern, literal];
}

function wordAt(id: string, at: number, words: readonly string[]): number | undefined {
  let found: number | undefined;
  let longest = 0;
  for (const [index, word] of words.entries()) {
    if (word.length <= longest || !id.startsWith(word, at)) continue;
    const isHex = word.length === addressDigits || word.length === wordDigits;
    if (!isHex && !isNumberAt(id, at, word)) continue;
    found = index;
    longest = word.length;
  }
  return found;
}

/** Whether a number stands in an id by itself, not as a part of a longer one. */
function isNumberAt(id: string, at: number, word: string): boolean {
  const isDigit = (text: string | undefined): boolean => text !== undefined && /[0-9a-f]/.test(text);
  return word.length >= shortestNumber && !isDigit(id[at - 1]) && !isDigit(id[at + word.length]);
}

/** The id that a pattern gives for another log; `undefined` if that log lacks a word. */
export function idFrom(pattern: IdPattern, log: Log, block: Block): string | undefined {
  let id = "";
  for (const part of pattern) {
    const text = typeof part === "string" ? part : wordOf(log, block, part);
    if (text === "") return undefined;
    id += text;
  }
  return id;
}
