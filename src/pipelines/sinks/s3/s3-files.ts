import { LRUCache } from "lru-cache";
import type { LockHolder } from "../../../base/lock-holder.js";
import { SinkError } from "../../state/sink-error.js";
import { formerMarkerName, markerName, writerIn } from "../file/file-folder.js";
import type { AuditedFiles } from "../file/window-files.js";
import {
  type Condition,
  mostObjectBytes,
  OtherWindowError,
  OtherWriterError,
  type S3Bucket,
} from "./s3-bucket.js";

/** Bytes of a part of an object; smaller objects are sent at once. */
const partBytes = 8 * 1024 * 1024;
/** Paths of objects that are written in parts. */
const windowName = /^[^/]+\/(?:.+\/)?\d+-\d+\.(?:parquet|window)$/;
/** Objects whose versions are known at a time: more than are read before they are replaced. */
const mostVersions = 20_000;

/**
 * Objects below a prefix as files. An object appears whole, and only a process that has read an existing
 * object may replace it.
 * @param prefix ends in "/", or is empty
 */
export class S3Files implements AuditedFiles {
  readonly isShared = true;
  readonly #bucket: S3Bucket;
  readonly #prefix: string;
  /** The last of the objects in each folder, and in the folders within it, that are known to be there. */
  readonly #lasts = new Map<string, string>();
  /** Versions of objects that were read or replaced. */
  readonly #versions = new LRUCache<string, string>({ max: mostVersions });

  /** Whether this writer has written the marker. */
  #hasMarked = false;

  constructor(bucket: S3Bucket, prefix: string) {
    this.#bucket = bucket;
    this.#prefix = prefix;
  }

  async list(): Promise<readonly string[]> {
    const keys = await this.#bucket.list(this.#prefix);
    const paths = keys.map((key) => key.slice(this.#prefix.length));
    for (const path of paths) this.#know(path);
    return paths;
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
    try {
      await this.#write(path, content);
    } catch (error) {
      if (!(error instanceof OtherWriterError || error instanceof OtherWindowError)) throw error;
      // That there is another one matters more than who it is.
      const writer = await this.#otherWriter().catch(() => undefined);
      throw writer ? error.by(writer) : error;
    }
  }

  /** Who has written the marker; `undefined` if no other process has since this writer did. */
  async #otherWriter(): Promise<LockHolder | undefined> {
    const name = this.#markerName;
    const found = await this.#bucket.read(this.#prefix + name);
    return found && found.etag !== this.#versions.get(name) ? writerIn(found.text) : undefined;
  }

  /** The name of the prefix's marker. An existing one keeps its name. */
  get #markerName(): string {
    return this.#versions.has(formerMarkerName) ? formerMarkerName : markerName;
  }

  async #write(path: string, content: Uint8Array | AsyncIterable<Uint8Array>): Promise<void> {
    if (path === this.#markerName && !this.#hasMarked) {
      // Where the service ignores conditions, this write would replace what says who the other one is.
      const writer = await this.#otherWriter();
      if (writer) throw new OtherWriterError(writer);
      this.#hasMarked = true;
    }
    const etag = this.#versions.get(path);
    const before = this.#lastIn(path);
    if (etag === undefined) await this.#refuseOthers(path, before);
    const condition = etag === undefined ? ({ kind: "absent" } as const) : ({ kind: "same", etag } as const);
    const parts = cutParts(content instanceof Uint8Array ? [content] : limited(content), partBytes);
    const written = await this.#send(this.#prefix + path, parts, condition);
    if (written !== undefined) this.#versions.set(path, written);
    this.#know(path);
    // Some services ignore conditions, and another writer may have come since the look before.
    if (etag === undefined) await this.#refuseOthers(path, before, path);
  }

  #know(path: string): void {
    for (let end = path.indexOf("/"); end !== -1; end = path.indexOf("/", end + 1)) {
      const folder = path.slice(0, end + 1);
      const last = this.#lasts.get(folder);
      if (last === undefined || last < path) this.#lasts.set(folder, path);
    }
  }

  /**
   * Nothing locks a bucket; conditions of writes find another writer. What an interrupted writer has left of an object is
   * given up, and so is what another one is about to write.
   */
  async lock(): Promise<{ readonly kind: "ours"; release(): void }> {
    await this.#bucket.abortUploads(this.#prefix, (key) => windowName.test(key.slice(this.#prefix.length)));
    return { kind: "ours", release: () => undefined };
  }

  /** Sends a small object at once, and a larger one in parts. */
  async #send(
    key: string,
    parts: AsyncGenerator<Uint8Array>,
    condition: Condition,
  ): Promise<string | undefined> {
    const { value: first = new Uint8Array() } = await parts.next();
    if (first.length < partBytes) return this.#bucket.write(key, first, condition);
    return this.#bucket.writeParts(key, both(first, parts), condition);
  }

  /** The last object that is known in the folder of a path. */
  #lastIn(path: string): string | undefined {
    return this.#lasts.get(path.slice(0, path.lastIndexOf("/") + 1));
  }

  /**
   * Another writer of other windows of the same source has objects that this one has not written.
   * @param after the last object that was known
   * @param own the object that this one has just written
   */
  async #refuseOthers(path: string, after: string | undefined, own?: string): Promise<void> {
    const folder = path.slice(0, path.lastIndexOf("/") + 1);
    if (folder === "") return;
    const keys = await this.#bucket.list(
      this.#prefix + folder,
      after === undefined ? undefined : this.#prefix + after,
    );
    const others = keys.map((key) => key.slice(this.#prefix.length)).filter((other) => other !== own);
    const [first] = others;
    if (first === undefined) return;
    throw own === undefined ? new OtherWriterError() : new OtherWindowError(own, first);
  }
}

/** The pieces of an object, which are too many at some point. @throws SinkError then */
async function* limited(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > mostObjectBytes)
      throw new SinkError(
        `An object of ${mostObjectBytes} bytes is too large. Set bytes_per_file, or blocks_per_file to fewer blocks.`,
        false,
      );
    yield piece;
  }
}

async function* both(first: Uint8Array, rest: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first;
  yield* rest;
}

/**
 * Cuts pieces of any size into parts of one size; the last one may be smaller. Without bytes, there is one empty part.
 * @param size bytes of a part
 */
export async function* cutParts(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let length = 0;
  let isEmpty = true;
  for await (const piece of pieces)
    for (let from = 0; from < piece.length; ) {
      const taken = piece.subarray(from, from + size - length);
      waiting.push(taken);
      length += taken.length;
      from += taken.length;
      if (length < size) continue;
      yield Buffer.concat(waiting);
      [waiting, length, isEmpty] = [[], 0, false];
    }
  if (length > 0 || isEmpty) yield Buffer.concat(waiting);
}
