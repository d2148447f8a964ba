import type { LockHolder } from "../../../base/lock-holder.js";
import { visible } from "../../../base/text/visible.js";
import type { OutgoingAnswer } from "../../../web/outgoing/outgoing-request.js";
import { holderPart } from "../../state/other-run.js";
import { SinkError } from "../../state/sink-error.js";
import { readObjectPage } from "./list-answer.js";
import { answerBytes, errorOf, type S3BucketOptions, S3Requests } from "./s3-requests.js";
import { S3Uploads, UploadGoneError } from "./s3-uploads.js";

/** An object, in the version that was read. */
export interface S3Object {
  readonly text: string;
  readonly etag: string | undefined;
}

/** Bytes of an object, and the version that they are of. */
export interface S3Bytes {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
}

/** What an object must be for it to be written: not there, or as it was read. */
export type Condition = { readonly kind: "absent" } | { readonly kind: "same"; readonly etag: string };

/** The most bytes of an object, which is read as a whole. */
export const mostObjectBytes = 1024 * 1024 * 1024;
/** Pages of a listing, of up to 1,000 objects each. */
const mostPages = 10_000;

/** The objects of a bucket. Every method throws SinkError. */
export class S3Bucket {
  readonly #requests: S3Requests;
  readonly #uploads: S3Uploads;
  /** Whether the service supports conditional requests; some say that they do not, and some ignore them. */
  #knowsConditions = true;

  constructor(options: S3BucketOptions) {
    this.#requests = new S3Requests(options);
    this.#uploads = new S3Uploads(this.#requests);
  }

  /**
   * The keys of all objects with a prefix, sorted. Empty objects in the place of folders are left out.
   * @param after only keys that come later
   */
  async list(prefix: string, after?: string): Promise<readonly string[]> {
    const keys = new Set<string>();
    const tokens = new Set<string>();
    let token: string | undefined;
    do {
      const page = await this.#page(prefix, after, token);
      for (const key of page.keys)
        if (key.startsWith(prefix) && !key.endsWith("/") && (after === undefined || key > after))
          keys.add(key);
      token = page.next;
      if (token === undefined) break;
      if (tokens.has(token) || tokens.size === mostPages)
        throw new SinkError("The service lists objects without end.", false);
      tokens.add(token);
    } while (token !== undefined);
    return [...keys].sort();
  }

  /** A small object as text; `undefined` if there is none. */
  async read(key: string): Promise<S3Object | undefined> {
    const answer = await this.#requests.send("GET", key, {});
    if (answer.status === 404 && errorOf(answer).code !== "NoSuchBucket") return undefined;
    if (answer.status !== 200) throw this.#requests.failure(answer);
    return { text: Buffer.from(answer.body).toString(), etag: answer.headers.etag };
  }

  /**
   * Bytes of an object, all of one version.
   * @param last only the last ones, this many at most
   * @returns `undefined` if there is no object
   */
  async bytes(key: string, last?: number): Promise<S3Bytes | undefined> {
    const pieces: Uint8Array[] = [];
    let etag: string | undefined;
    for (let from = 0; ; ) {
      const range =
        last === undefined ? `${from}-${from + answerBytes - 1}` : `-${Math.min(last, answerBytes)}`;
      const answer = await this.#requests.send("GET", key, {
        headers: { range: `bytes=${range}`, ...(etag !== undefined && { "if-match": etag }) },
      });
      if (answer.status === 404 && errorOf(answer).code !== "NoSuchBucket") return undefined;
      if (answer.status === 412) throw new SinkError("An object was replaced while it was read.", true);
      // An empty object has no range.
      const isEmpty = answer.status === 416;
      if (answer.status !== 206 && answer.status !== 200 && !isEmpty) throw this.#requests.failure(answer);
      etag ??= isEmpty ? undefined : answer.headers.etag;
      if (!isEmpty) pieces.push(answer.body);
      from += answer.body.length;
      const size = answer.status === 206 && last === undefined ? sizeOf(answer) : from;
      if (size > mostObjectBytes)
        throw new SinkError(`An object has ${size} bytes, which is too large.`, false);
      if (isEmpty || from >= size || answer.body.length === 0) return { bytes: Buffer.concat(pieces), etag };
    }
  }

  /**
   * Writes an object whole or not at all.
   * @returns its version; `undefined` if the service gives none
   * @throws OtherWriterError if the condition does not hold
   */
  async write(key: string, body: Uint8Array, condition: Condition): Promise<string | undefined> {
    const answer = await this.#conditionally(condition, (headers) =>
      this.#requests.send("PUT", key, { headers, body }),
    );
    if (answer.status !== 200) throw this.#requests.failure(answer);
    return answer.headers.etag;
  }

  /**
   * Writes a large object whole or not at all, part by part: each is asked for when the one before it is written. If
   * anything fails, the parts are given up.
   * @param parts of at least 5 MB, but for the last one
   * @returns its version; `undefined` if the service gives none
   * @throws OtherWriterError if the condition does not hold, and what the parts throw
   */
  async writeParts(
    key: string,
    parts: AsyncIterable<Uint8Array>,
    condition: Condition,
  ): Promise<string | undefined> {
    const upload = await this.#uploads.begin(key);
    try {
      const tags: string[] = [];
      for await (const part of parts) tags.push(await this.#uploads.add(upload, tags.length + 1, part));
      return await this.#uploads.complete(upload, (send) => this.#conditionally(condition, send), tags);
    } catch (error) {
      // If it cannot be given up now, the next start does it.
      await this.#uploads.abort(upload).catch(() => undefined);
      throw error instanceof UploadGoneError ? new OtherWriterError() : error;
    }
  }

  /**
   * Gives up uploads that were begun and neither completed nor given up. A user who may not list them leaves them to the
   * bucket's own rules.
   * @param isOurs whether an object of this key may be one of ours
   */
  async abortUploads(prefix: string, isOurs: (key: string) => boolean): Promise<void> {
    for (const upload of await this.#uploads.list(prefix))
      if (isOurs(upload.key)) await this.#uploads.abort(upload);
  }

  /** Sends a request on a condition; without it, where the service does not know conditions. */
  async #conditionally(
    condition: Condition,
    send: (headers: Readonly<Record<string, string>>) => Promise<OutgoingAnswer>,
  ): Promise<OutgoingAnswer> {
    const conditional =
      condition.kind === "absent" ? { "if-none-match": "*" } : { "if-match": condition.etag };
    let answer = await send(this.#knowsConditions ? conditional : {});
    if (answer.status === 501 && this.#knowsConditions) {
      this.#knowsConditions = false;
      answer = await send({});
    }
    if (answer.status === 412) throw new OtherWriterError();
    return answer;
  }

  async #page(prefix: string, after: string | undefined, token: string | undefined): Promise<Page> {
    const answer = await this.#requests.send("GET", "", {
      query: {
        "list-type": "2",
        "encoding-type": "url",
        ...(prefix !== "" && { prefix }),
        ...(after !== undefined && { "start-after": after }),
        ...(token !== undefined && { "continuation-token": token }),
      },
    });
    if (answer.status !== 200) throw this.#requests.failure(answer);
    const page = readObjectPage(Buffer.from(answer.body).toString());
    if (page) return page;
    throw new SinkError(
      "The service does not answer with a list of objects. Is endpoint that of an S3 service?",
      false,
    );
  }
}

type Page = NonNullable<ReturnType<typeof readObjectPage>>;

/** An object is there that was not, or another one than was read. */
export class OtherWriterError extends SinkError {
  constructor(holder?: LockHolder) {
    super(
      `Another run writes this sink${holderPart(holder)}. Stop one of them; nothing of this one's last window was written.`,
      false,
    );
  }

  /** The same error, which names the process. */
  by(holder: LockHolder): OtherWriterError {
    return new OtherWriterError(holder);
  }
}

/** Another object has come while this writer has written one. */
export class OtherWindowError extends SinkError {
  readonly #windows: readonly [own: string, other: string];

  constructor(own: string, other: string, holder?: LockHolder) {
    super(
      `Another run writes this sink${holderPart(holder)}. It has written ${visible(other)} beside ${visible(own)}. Stop one of them. To see whether readers get rows twice, use: graphloom pipeline verify`,
      false,
    );
    this.#windows = [own, other];
  }

  /** The same error, which names the process. */
  by(holder: LockHolder): OtherWindowError {
    return new OtherWindowError(...this.#windows, holder);
  }
}

/** The size of the object that an answer has a part of: `bytes 0-99/1234`. */
function sizeOf({ headers }: OutgoingAnswer): number {
  const [, size] = /\/(\d{1,15})$/.exec(headers["content-range"] ?? "") ?? [];
  return Number(size ?? 0);
}
