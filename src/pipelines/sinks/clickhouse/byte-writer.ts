/** Bytes that grow as they are written. Numbers are little-endian. */
export class ByteWriter {
  #buffer = Buffer.allocUnsafe(1 << 16);
  #length = 0;

  /** An integer of any size, seven bits at a time. */
  varint(value: number): void {
    this.#reserve(10);
    let left = value;
    while (left >= 0x80) {
      this.#buffer[this.#length++] = (left % 0x80) | 0x80;
      left = Math.floor(left / 0x80);
    }
    this.#buffer[this.#length++] = left;
  }

  /** A text in UTF-8 after its length. */
  text(value: string): void {
    this.#reserve(value.length * 3 + 10);
    // Most texts are ASCII and short, so their length takes one byte.
    if (value.length < 0x80) {
      const written = this.#buffer.write(value, this.#length + 1, "utf8");
      if (written < 0x80) {
        this.#buffer[this.#length] = written;
        this.#length += written + 1;
        return;
      }
    }
    this.varint(Buffer.byteLength(value));
    this.#length += this.#buffer.write(value, this.#length, "utf8");
  }

  /** A text in UTF-8 without its length. @returns how many bytes it has */
  bareText(value: string): number {
    this.#reserve(value.length * 3);
    const written = this.#buffer.write(value, this.#length, "utf8");
    this.#length += written;
    return written;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#buffer[this.#length++] = value & 0xff;
  }

  float(value: number, bits: 32 | 64): void {
    this.#reserve(8);
    this.#length =
      bits === 32
        ? this.#buffer.writeFloatLE(value, this.#length)
        : this.#buffer.writeDoubleLE(value, this.#length);
  }

  /** An integer in two's complement. @param bits a multiple of 8; the value fits */
  integer(value: bigint, bits: number): void {
    this.#reserve(bits / 8);
    let left = value;
    for (let bit = 0; bit < bits; bit += 64) {
      const part = BigInt.asUintN(64, left);
      if (bits - bit >= 64) this.#length = this.#buffer.writeBigUInt64LE(part, this.#length);
      else
        this.#length = this.#buffer.writeUIntLE(
          Number(BigInt.asUintN(bits - bit, part)),
          this.#length,
          (bits - bit) / 8,
        );
      left >>= 64n;
    }
  }

  /** A safe integer that is not negative. @param bits a multiple of 64 */
  count(value: number, bits: number): void {
    this.#reserve(bits / 8);
    this.#buffer.writeUInt32LE(value >>> 0, this.#length);
    this.#buffer.writeUInt32LE(Math.floor(value / 0x1_0000_0000), this.#length + 4);
    this.#buffer.fill(0, this.#length + 8, this.#length + bits / 8);
    this.#length += bits / 8;
  }

  /** Zeros. */
  zeros(bytes: number): void {
    this.#reserve(bytes);
    this.#buffer.fill(0, this.#length, this.#length + bytes);
    this.#length += bytes;
  }

  /** The written bytes. Do not use the writer afterwards. */
  end(): Uint8Array {
    return this.#buffer.subarray(0, this.#length);
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#buffer.length * 2, this.#length + bytes));
    this.#buffer.copy(larger, 0, 0, this.#length);
    this.#buffer = larger;
  }
}
