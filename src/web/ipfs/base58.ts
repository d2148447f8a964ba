const alphabet = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/** Encodes bytes in base58 with Bitcoin's alphabet; every leading zero byte is a `1`. */
export function base58(bytes: Uint8Array): string {
  let zeros = 0;
  while (bytes[zeros] === 0) zeros++;
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("hex");
  let rest = BigInt(`0x0${hex}`);
  const digits: string[] = [];
  for (; rest > 0n; rest /= 58n) digits.push(alphabet.charAt(Number(rest % 58n)));
  return "1".repeat(zeros) + digits.reverse().join("");
}
