/**
 * Has texts keep a byte order mark that they begin with. PGlite reads each value with a `TextDecoder`, which drops it by
 * default: what was written would come back as another text. To be called in PGlite's own thread, before it is opened.
 */
export function keepByteOrderMarks(): void {
  const Decoder = globalThis.TextDecoder;
  globalThis.TextDecoder = class extends Decoder {
    constructor(label?: string, options: ConstructorParameters<typeof Decoder>[1] = {}) {
      super(label, { ignoreBOM: true, ...options });
    }
  };
}
