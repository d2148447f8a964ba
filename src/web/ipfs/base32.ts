const alphabet = "abcdefghijklmnopqrstuvwxyz234567";

/** Decodes lower-case base32 without padding; left-over bits are dropped. */
export function base32Bytes(text: string): number[] {
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const character of text) {
    held = (held * 32 + alphabet.indexOf(character)) % 0x2000;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return bytes;
}
