/** Reproducible bytes without repetition, so that no two blocks are equal. */
export function noise(length: number): Uint8Array {
  const words = new Uint32Array(Math.ceil(length / 4));
  let state = 0x9e3779b9 ^ length;
  for (let index = 0; index < words.length; index++) {
    state = Math.imul(state ^ (state >>> 15), 0x85ebca6b) + 0x6d2b79f5;
    words[index] = state ^ (state >>> 13);
  }
  return new Uint8Array(words.buffer, 0, length);
}
