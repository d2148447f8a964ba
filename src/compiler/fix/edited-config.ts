import type { FileRead, Host } from "../host.js";
import { decodeText } from "../parse/decode-text.js";

/** A host that reads a configuration once, and then serves edited text as if it were saved. */
export class EditedConfig implements Host {
  readonly #host: Host;
  readonly #path: string;
  #read: FileRead | undefined;
  #edited: Uint8Array | undefined;
  readonly filesUnder?: NonNullable<Host["filesUnder"]>;

  /** @param path path of the configuration for the host */
  constructor(host: Host, path: string) {
    this.#host = host;
    this.#path = path;
    if (host.filesUnder) this.filesUnder = host.filesUnder;
  }

  /** The bytes and text that were read; `undefined` before the first read, or if they are not text. */
  get original(): { readonly bytes: Uint8Array; readonly text: string } | undefined {
    if (this.#read?.kind !== "bytes") return undefined;
    const { bytes } = this.#read;
    const decoded = decodeText(bytes);
    return decoded.kind === "text" ? { bytes, text: decoded.text } : undefined;
  }

  edit(text: string): void {
    this.#edited = new TextEncoder().encode(text);
  }

  async readFile(path: string, limit: number): Promise<FileRead> {
    if (path !== this.#path) return this.#host.readFile(path, limit);
    if (this.#edited) return { kind: "bytes", bytes: this.#edited };
    this.#read ??= await this.#host.readFile(path, limit);
    return this.#read;
  }

  resolveBeside(file: string, relative: string): string {
    return this.#host.resolveBeside(file, relative);
  }

  packageSources(name: string): Promise<ReadonlyMap<string, string>> {
    return this.#host.packageSources(name);
  }

  readTemplate(name: string): Promise<string> {
    return this.#host.readTemplate(name);
  }
}

/** Encodes a changed text, restoring the byte order mark that decoding dropped. */
export function encodeLike(original: Uint8Array, text: string): Uint8Array {
  const hasMark = original[0] === 0xef && original[1] === 0xbb && original[2] === 0xbf;
  return new TextEncoder().encode(hasMark ? `\ufeff${text}` : text);
}
