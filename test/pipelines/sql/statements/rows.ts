import type { RowValue } from "../../../../src/pipelines/changes/rows.js";

/** Texts that functions on texts treat in different ways. */
const texts = [
  "alice",
  "Bob Stone",
  "0xAbCdEf0123",
  "a,b,,c",
  "",
  "  padded ",
  "Zoë 😀 ñ",
  "100%_sure",
  "17",
  "-3.5",
  "key=value&other=2",
  "it's",
];

const documents = [
  '{"kind":"swap","n":5,"price":1.25,"tags":["a","b"],"deep":{"x":null,"y":[1,2,{"z":"q"}]},"ok":true}',
  '{"kind":"mint","n":null,"tags":[],"ok":false}',
  '{"kind":"it\'s","n":-7,"price":0.1,"tags":["ä"],"big":123456789012345678901234567890}',
  "{}",
];

/** A transfer of a chain of a test, as the dataset has it. Its values are the same each time. @param id unique */
export function transferOf(id: string, block: number): Readonly<Record<string, RowValue>> {
  const seed = [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  const pick = <Value>(list: readonly Value[]): Value => list[seed % list.length] as Value;
  return {
    id,
    sender: pick(texts),
    recipient: documents[(seed >> 3) % documents.length] as string,
    amount: seed % 9 === 0 ? null : String(BigInt(seed) ** BigInt(1 + (seed % 5)) % 10n ** 30n),
    address: `0x${"abc".charAt(seed % 3).repeat(40)}`,
    block_number: BigInt(block),
    block_hash: `0x${(seed * 7919).toString(16).padStart(64, "0")}`,
    block_timestamp: 1_700_000_000n + BigInt(block) * 86_347n,
    transaction_hash: `0x${(seed * 104_729).toString(16).padStart(64, "f")}`,
    transaction_index: BigInt(seed % 200),
    log_index: BigInt(seed % 17),
  };
}
