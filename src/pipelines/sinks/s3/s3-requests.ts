import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { certificateAdvice, certificateFaultOf } from "../../../base/certificate-fault.js";
import { foreignText } from "../../../base/text/foreign-text.js";
import type { World } from "../../../base/world.js";
import type { Outgoing } from "../../../web/outgoing/outgoing.js";
import { OutgoingError } from "../../../web/outgoing/outgoing-error.js";
import type { OutgoingAnswer } from "../../../web/outgoing/outgoing-request.js";
import { secretTrust } from "../../http/secret-trust.js";
import { SinkError } from "../../state/sink-error.js";
import { readS3Error } from "./list-answer.js";
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

/** Milliseconds for an answer. Large objects take their time. */
const timeout = 600_000;
/** Bytes of an answer: a page of a listing, or a piece of an object. */
export const answerBytes = 8 * 1024 * 1024;

/** What a request has besides its method and its key. */
interface RequestParts {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
}

/** Signed requests to a bucket. */
export class S3Requests {
  readonly #options: S3BucketOptions;

  constructor(options: S3BucketOptions) {
    this.#options = options;
  }

  /**
   * Sends a request. @param key of an object; empty for the bucket itself
   * @throws SinkError if there is no answer
   */
  async send(
    method: "GET" | "PUT" | "POST" | "DELETE",
    key: string,
    { query = {}, headers = {}, body }: RequestParts,
  ): Promise<OutgoingAnswer> {
    const { region, key: own, outgoing, clock } = this.#options;
    const url = this.#address(key, query);
    const { accessKeyId, secretAccessKey, sessionToken } = own;
    const hash = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const signed = await new AwsV4Signer({
      method,
      url,
      service: "s3",
      region,
      accessKeyId,
      secretAccessKey,
      headers: { ...headers, "x-amz-content-sha256": hash },
      ...(sessionToken !== undefined && { sessionToken }),
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
    }).sign();
    try {
      return await outgoing.send({
        url,
        method,
        timeout,
        mostBytes: answerBytes,
        tls: own.tls,
        headers: Object.fromEntries(signed.headers.entries()),
        ...(body && { body }),
      });
    } catch (error) {
      if (!(error instanceof OutgoingError)) throw error;
      const fault = certificateFaultOf(error);
      if (fault)
        throw new SinkError(
          `The certificate of the S3 service ${fault.words}. ${certificateAdvice(fault, secretTrust)}`,
          false,
          { cause: error },
        );
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

  /** The error of an answer that refuses something. */
  failure(answer: OutgoingAnswer): SinkError {
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

/** What an answer says about an error: its code and its message, if it has them. */
export function errorOf({ body }: OutgoingAnswer): { readonly code?: string; readonly message?: string } {
  return readS3Error(Buffer.from(body).toString());
}

/** Encoded as signatures expect it. */
function strictly(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
