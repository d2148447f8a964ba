/**
 * Makes strings keep a leading byte order mark. PGlite reads each value with a `TextDecoder`, which drops the mark by
 * default, so a string would change between write and read. Call this in PGlite's own thread before opening PGlite.
 */
export function keepByteOrderMarks(): void {
  const Decoder = globalThis.TextDecoder;
  globalThis.TextDecoder = class extends Decoder {
    constructor(label?: string, options: ConstructorParameters<typeof Decoder>[1] = {}) {
      super(label, { ignoreBOM: true, ...options });
    }
  };
}
