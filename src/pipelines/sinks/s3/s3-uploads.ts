import { foreignText } from "../../../base/text/foreign-text.js";
import type { OutgoingAnswer } from "../../../web/outgoing/outgoing-request.js";
import { SinkError } from "../../state/sink-error.js";
import { errorOf, type S3Requests } from "./s3-requests.js";
import { readUploadPage, readUploadText } from "./upload-answers.js";

/** An object that is written part by part, and is not there before it is completed. */
export interface S3Upload {
  readonly key: string;
  readonly id: string;
}

/** Pages of a listing, of up to 1,000 uploads each. */
const mostPages = 100;

/** The uploads of a bucket. Every method throws SinkError. */
export class S3Uploads {
  readonly #requests: S3Requests;

  constructor(requests: S3Requests) {
    this.#requests = requests;
  }

  async begin(key: string): Promise<S3Upload> {
    const answer = await this.#requests.send("POST", key, { query: { uploads: "" } });
    if (answer.status !== 200) throw this.#requests.failure(answer);
    const id = readUploadText(textOf(answer), "UploadId");
    if (id !== undefined) return { key, id };
    throw new SinkError("The service does not answer with the id of an upload.", false);
  }

  /**
   * Writes a part.
   * @param number of the part, from 1 on
   * @returns its tag, which completes the upload
   */
  async add({ key, id }: S3Upload, number: number, body: Uint8Array): Promise<string> {
    const query = { partNumber: String(number), uploadId: id };
    const answer = await this.#requests.send("PUT", key, { query, body });
    if (isGone(answer)) throw new UploadGoneError();
    if (answer.status !== 200) throw this.#requests.failure(answer);
    if (answer.headers.etag !== undefined) return answer.headers.etag;
    throw new SinkError("The service does not answer with the tag of a part.", false);
  }

  /**
   * Makes an object of the parts.
   * @param sending sends a request on a condition
   * @returns the version of the object; `undefined` if the service gives none
   */
  async complete(
    { key, id }: S3Upload,
    sending: (
      send: (headers: Readonly<Record<string, string>>) => Promise<OutgoingAnswer>,
    ) => Promise<OutgoingAnswer>,
    tags: readonly string[],
  ): Promise<string | undefined> {
    const parts = tags.map(
      (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escaped(tag)}</ETag></Part>`,
    );
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const answer = await sending((headers) =>
      this.#requests.send("POST", key, { query: { uploadId: id }, headers, body }),
    );
    if (isGone(answer)) throw new UploadGoneError();
    if (answer.status !== 200) throw this.#requests.failure(answer);
    // A service may find out that it fails after it has begun to answer.
    const text = textOf(answer);
    if (/<CompleteMultipartUploadResult[\s>]/.test(text)) return readUploadText(text, "ETag");
    const { code = "no reason given", message = "" } = errorOf(answer);
    throw new SinkError(
      `The S3 service could not complete an object: ${foreignText(`${code} ${message}`)}`,
      true,
    );
  }

  /** Gives up an upload, which may be gone. */
  async abort({ key, id }: S3Upload): Promise<void> {
    const answer = await this.#requests.send("DELETE", key, { query: { uploadId: id } });
    if (answer.status !== 204 && answer.status !== 200 && answer.status !== 404)
      throw this.#requests.failure(answer);
  }

  /** Uploads that are not completed; none if the user may not list them, or the service cannot. */
  async list(prefix: string): Promise<readonly S3Upload[]> {
    const uploads: S3Upload[] = [];
    let after: Readonly<Record<string, string>> | undefined = {};
    for (let page = 0; after !== undefined && page < mostPages; page += 1) {
      const answer: OutgoingAnswer = await this.#requests.send("GET", "", {
        query: { uploads: "", "encoding-type": "url", ...(prefix !== "" && { prefix }), ...after },
      });
      if (answer.status === 403 || answer.status === 501) return [];
      if (answer.status !== 200) throw this.#requests.failure(answer);
      const read = readUploadPage(textOf(answer));
      if (!read) throw new SinkError("The service does not answer with a list of uploads.", false);
      uploads.push(...read.uploads.filter(({ key }) => key.startsWith(prefix)));
      after = read.next;
    }
    return uploads;
  }
}

/** Another process gave up the upload. */
export class UploadGoneError extends Error {
  override readonly name = "UploadGoneError";
}

/** Some services say that the object is not there, instead of the upload. */
function isGone(answer: OutgoingAnswer): boolean {
  return answer.status === 404 && errorOf(answer).code !== "NoSuchBucket";
}

function textOf({ body }: OutgoingAnswer): string {
  return Buffer.from(body).toString();
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}
