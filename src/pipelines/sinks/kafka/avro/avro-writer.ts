/** Integers that a number holds exactly once their sign is in the lowest bit. */
const mostAsNumber = 2n ** 51n;

/** Writes values in Avro's binary encoding, one after the other. */
export class AvroWriter {
  #bytes = Buffer.allocUnsafe(256);
  #length = 0;

  /** @param value a signed integer of 64 bits */
  long(value: bigint | number): void {
    if (typeof value === "number" || (value < mostAsNumber && value > -mostAsNumber))
      this.#short(Number(value));
    else this.#wide(BigInt.asUintN(64, (value << 1n) ^ (value >> 63n)));
  }

  double(value: number): void {
    this.#room(8);
    this.#length = this.#bytes.writeDoubleLE(value, this.#length);
  }

  boolean(value: boolean): void {
    this.#byte(value ? 1 : 0);
  }

  string(value: string): void {
    const length = Buffer.byteLength(value);
    this.long(length);
    this.#room(length);
    this.#length += this.#bytes.write(value, this.#length);
  }

  /** What was written. */
  finish(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Seven bits in each byte, the lowest first; the sign is in the lowest bit. */
  #short(value: number): void {
    let rest = value < 0 ? -2 * value - 1 : 2 * value;
    while (rest >= 128) {
      this.#byte((rest % 128) + 128);
      rest = Math.floor(rest / 128);
    }
    this.#byte(rest);
  }

  #wide(value: bigint): void {
    let rest = value;
    while (rest >= 128n) {
      this.#byte(Number(rest & 127n) + 128);
      rest >>= 7n;
    }
    this.#byte(Number(rest));
  }

  #byte(value: number): void {
    this.#room(1);
    this.#length = this.#bytes.writeUInt8(value, this.#length);
  }

  #room(count: number): void {
    if (this.#length + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length + count));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
  }
}
