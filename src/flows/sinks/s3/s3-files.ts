import type { AuditedFiles } from "../file/window-files.js";
import { SinkError } from "../sink.js";
import { mostObjectBytes, OtherWriterError, type S3Bucket } from "./s3-bucket.js";

/**
 * Objects below a prefix as files. An object appears whole, and one that is there is never replaced by somebody who has
 * not read it.
 * @param prefix ends in "/", or is empty
 */
export class S3Files implements AuditedFiles {
  readonly #bucket: S3Bucket;
  readonly #prefix: string;
  /** Paths of the objects that are known to be there. */
  #paths: readonly string[] = [];
  /** Versions of objects that were read or replaced. */
  readonly #versions = new Map<string, string>();

  constructor(bucket: S3Bucket, prefix: string) {
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async list(): Promise<readonly string[]> {
    const keys = await this.#bucket.list(this.#prefix);
    this.#paths = keys.map((key) => key.slice(this.#prefix.length));
    return this.#paths;
  }

  async read(path: string): Promise<string | undefined> {
    const found = await this.#bucket.read(this.#prefix + path);
    if (found?.etag !== undefined) this.#versions.set(path, found.etag);
    return found?.text;
  }

  async bytes(path: string, last?: number): Promise<Uint8Array | undefined> {
    const found = await this.#bucket.bytes(this.#prefix + path, last);
    if (found?.etag !== undefined) this.#versions.set(path, found.etag);
    return found?.bytes;
  }

  async write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    const body = content instanceof Uint8Array ? content : await whole(content);
    const etag = this.#versions.get(path);
    if (etag === undefined) await this.#refuseOthers(path);
    const condition = etag === undefined ? ({ kind: "absent" } as const) : ({ kind: "same", etag } as const);
    const written = await this.#bucket.write(this.#prefix + path, body, condition);
    if (written !== undefined) this.#versions.set(path, written);
    // A window may be written again among others.
    if (!this.#paths.includes(path)) this.#paths = [...this.#paths, path].sort();
  }

  /** Nothing locks a bucket; conditions of writes find another writer. */
  async lock(): Promise<{ readonly kind: "ours"; release(): void }> {
    return { kind: "ours", release: () => undefined };
  }

  /** Whoever writes other windows of the same source has objects that this one has not written. */
  async #refuseOthers(path: string): Promise<void> {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder === "") return;
    const last = this.#paths.filter((one) => one.startsWith(folder)).at(-1);
    const after = last === undefined ? undefined : this.#prefix + last;
    const others = await this.#bucket.list(this.#prefix + folder, after);
    if (others.length > 0) throw new OtherWriterError();
  }
}

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const read: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > mostObjectBytes)
      throw new SinkError(
        `An object of ${mostObjectBytes} bytes is too large. Set blocks_per_file to fewer blocks.`,
        false,
      );
    read.push(piece);
  }
  return Buffer.concat(read);
}
