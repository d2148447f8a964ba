import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { foreignText } from "../../../base/foreign-text.js";
import type { World } from "../../../base/world.js";
import type { Outgoing } from "../../../web/outgoing/outgoing.js";
import { OutgoingError } from "../../../web/outgoing/outgoing-error.js";
import type { OutgoingAnswer } from "../../../web/outgoing/outgoing-request.js";
import { SinkError } from "../sink.js";
import { readObjectPage, readS3Error } from "./list-answer.js";
import type { S3Key } from "./s3-secret.js";

/** Where a bucket is, and who uses it. */
export interface S3BucketOptions {
  /** The address of the service. */
  readonly endpoint: string;
  readonly bucket: string;
  /** Whether the name of the bucket is in the path, or at the beginning of the host. */
  readonly style: "path" | "virtual";
  readonly region: string;
  readonly key: S3Key;
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "now">;
}

/** An object and the version of it that was read. */
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

/** Milliseconds for an answer. Large objects take their time. */
const timeout = 600_000;
/** Bytes of a page of objects, and of a piece of an object that is read. */
const answerBytes = 8 * 1024 * 1024;
/** The most bytes of an object, which is in memory as a whole. */
export const mostObjectBytes = 1024 * 1024 * 1024;
/** Pages of a listing, of up to 1,000 objects each. */
const mostPages = 10_000;

/** The objects of a bucket. Every method throws SinkError. */
export class S3Bucket {
  readonly #options: S3BucketOptions;
  /** Whether the service knows conditions; those that do not say so, or ignore them. */
  #knowsConditions = true;

  constructor(options: S3BucketOptions) {
    this.#options = options;
  }

  /**
   * The keys of all objects with a prefix, sorted. Empty objects in the place of folders are left out.
   * @param after only those that come later
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
    const answer = await this.#send("GET", key, {});
    if (answer.status === 404 && errorOf(answer).code !== "NoSuchBucket") return undefined;
    if (answer.status !== 200) throw this.#failure(answer);
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
      const answer = await this.#send("GET", key, {
        headers: { range: `bytes=${range}`, ...(etag !== undefined && { "if-match": etag }) },
      });
      if (answer.status === 404 && errorOf(answer).code !== "NoSuchBucket") return undefined;
      if (answer.status === 412) throw new SinkError("An object was replaced while it was read.", true);
      // An empty object has no range.
      const isEmpty = answer.status === 416;
      if (answer.status !== 206 && answer.status !== 200 && !isEmpty) throw this.#failure(answer);
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
    const conditional =
      condition.kind === "absent" ? { "if-none-match": "*" } : { "if-match": condition.etag };
    let answer = await this.#send("PUT", key, { headers: this.#knowsConditions ? conditional : {}, body });
    if (answer.status === 501 && this.#knowsConditions) {
      this.#knowsConditions = false;
      answer = await this.#send("PUT", key, { body });
    }
    if (answer.status === 412) throw new OtherWriterError();
    if (answer.status !== 200) throw this.#failure(answer);
    return answer.headers.etag;
  }

  async #page(prefix: string, after: string | undefined, token: string | undefined): Promise<Page> {
    const answer = await this.#send("GET", "", {
      query: {
        "list-type": "2",
        "encoding-type": "url",
        ...(prefix !== "" && { prefix }),
        ...(after !== undefined && { "start-after": after }),
        ...(token !== undefined && { "continuation-token": token }),
      },
    });
    if (answer.status !== 200) throw this.#failure(answer);
    const page = readObjectPage(Buffer.from(answer.body).toString());
    if (page) return page;
    throw new SinkError(
      "The service does not answer with a list of objects. Is endpoint that of an S3 service?",
      false,
    );
  }

  async #send(
    method: "GET" | "PUT",
    key: string,
    {
      query = {},
      headers = {},
      body,
    }: {
      readonly query?: Readonly<Record<string, string>>;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: Uint8Array;
    },
  ): Promise<OutgoingAnswer> {
    const { region, key: own, outgoing, clock } = this.#options;
    const url = this.#address(key, query);
    const { accessKeyId, secretAccessKey, sessionToken } = own;
    const hash = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const signed = await new AwsV4Signer({
      ...{ method, url, service: "s3", region, accessKeyId, secretAccessKey },
      headers: { ...headers, "x-amz-content-sha256": hash },
      ...(sessionToken !== undefined && { sessionToken }),
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
    }).sign();
    try {
      return await outgoing.send({
        ...{ url, method, timeout, mostBytes: answerBytes },
        headers: Object.fromEntries(signed.headers.entries()),
        ...(body && { body }),
      });
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      const isTemporary = error.kind !== "bad-address" && error.kind !== "refused-address";
      throw new SinkError(`The S3 service does not answer: ${error.message}`, isTemporary, { cause: error });
    }
  }

  #address(key: string, query: Readonly<Record<string, string>>): string {
    const { endpoint, bucket, style } = this.#options;
    const url = new URL(endpoint);
    if (style === "virtual") url.hostname = `${bucket}.${url.hostname}`;
    const folder = url.pathname.replace(/\/$/, "") + (style === "path" ? `/${bucket}` : "");
    const search = Object.entries(query)
      .map(([name, value]) => `${strictly(name)}=${strictly(value)}`)
      .join("&");
    const path = key.split("/").map(strictly).join("/");
    return `${url.origin}${folder}/${path}${search === "" ? "" : `?${search}`}`;
  }

  #failure(answer: OutgoingAnswer): SinkError {
    const { bucket } = this.#options;
    const { status, headers } = answer;
    const { code, message } = errorOf(answer);
    if (code === "NoSuchBucket") return new SinkError(`There is no bucket ${bucket}. Create it.`, false);
    const region = headers["x-amz-bucket-region"];
    if (status === 301 || (status === 400 && region !== undefined))
      return new SinkError(
        `The bucket ${bucket} is in region ${foreignText(String(region ?? "unknown"))}. Set region and endpoint to it.`,
        false,
      );
    const isTemporary = status >= 500 || status === 429 || status === 408 || status === 409;
    const why = [code, message].filter((text) => text !== undefined).join(": ");
    return new SinkError(
      `The S3 service answers with status ${status}${why === "" ? "" : `: ${foreignText(why)}`}`,
      isTemporary,
    );
  }
}

type Page = NonNullable<ReturnType<typeof readObjectPage>>;

/** An object is there that was not, or another one than was read. */
export class OtherWriterError extends SinkError {
  constructor() {
    super(
      "Another run writes this sink. Stop one of them; nothing of this one's last window was written.",
      false,
    );
  }
}

function errorOf({ body }: OutgoingAnswer): { readonly code?: string; readonly message?: string } {
  return readS3Error(Buffer.from(body).toString());
}

/** The size of the object that an answer has a part of: `bytes 0-99/1234`. */
function sizeOf({ headers }: OutgoingAnswer): number {
  const [, size] = /\/(\d{1,15})$/.exec(headers["content-range"] ?? "") ?? [];
  return Number(size ?? 0);
}

/** Encoded as signatures expect it. */
function strictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
