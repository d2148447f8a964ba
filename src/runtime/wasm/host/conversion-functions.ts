import { base58 } from "../../../web/ipfs/base58.js";
import { DeterministicError } from "../../errors.js";
import { hexOfInteger } from "../../numbers/big-int.js";
import { readBigInt } from "../numbers-in-heap.js";
import type { HostFunctions } from "../webassembly.js";
import type { HostSession } from "./session.js";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

export function conversionFunctions(session: HostSession): HostFunctions {
  return {
    "typeConversion.bytesToHex": (bytes = 0) => session.heap.string(session.heap.readHex(bytes)),
    "typeConversion.bytesToString": (bytes = 0) =>
      session.heap.string(withoutTrailingNuls(utf8.decode(session.heap.readBytes(bytes)))),
    "typeConversion.bytesToBase58": (bytes = 0) => session.heap.string(base58(session.heap.readBytes(bytes))),
    "typeConversion.bigIntToString": (value = 0) =>
      session.heap.string(readBigInt(session.heap, value).toString()),
    "typeConversion.bigIntToHex": (value = 0) =>
      session.heap.string(hexOfInteger(readBigInt(session.heap, value))),
    "typeConversion.stringToH160": (text = 0) => session.heap.hex(addressOf(session.heap.readString(text))),
  };
}

function withoutTrailingNuls(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === 0) end--;
  return text.slice(0, end);
}

function addressOf(text: string): string {
  let digits = text;
  while (digits.startsWith("0x")) digits = digits.slice(2);
  const complaint = complaintAbout(digits);
  if (complaint === undefined) return `0x${digits}`;
  throw new DeterministicError(`Failed to convert string to Address: '${text}': ${complaint}`);
}

/** The reason why the digits of an address are invalid, in graph-node's words. */
function complaintAbout(digits: string): string | undefined {
  const { length } = Buffer.from(digits);
  if (length % 2 !== 0) return "odd number of digits";
  if (length !== 40) return "invalid string length";
  const position = digits.search(/[^0-9a-fA-F]/);
  return position === -1 ? undefined : `invalid character '${digits[position]}' at position ${position}`;
}
