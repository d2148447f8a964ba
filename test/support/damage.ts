import { drawFrom } from "./pool/draw.js";

/** Bytes with damage that a disk, a cut download or an attacker could do. The same seed does the same. */
export function damaged(bytes: Uint8Array, seed: number): Uint8Array {
  const { below } = drawFrom(seed);
  const at = (): number => below(bytes.length);
  const copy = Uint8Array.from(bytes);
  switch (seed % 4) {
    case 0:
      return copy.subarray(0, at());
    case 1:
      return copy.fill(seed % 8 === 1 ? 0 : 0xff, at(), at() + 16);
    case 2:
      // The footer, whose numbers decide what is read.
      copy[Math.max(0, bytes.length - 1 - below(600))] = below(256);
      return copy;
    default:
      for (let times = 0; times < 3; times += 1) copy[at()] = below(256);
      return copy;
  }
}
