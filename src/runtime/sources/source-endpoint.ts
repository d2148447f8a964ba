import { parseJson } from "../../base/text/json-value.js";
import { visible } from "../../base/text/visible.js";
import type { World } from "../../base/world.js";
import { parseAddress, redact } from "../../web/http/address.js";
import { redirectRefusal } from "../../web/http/redirect-target.js";
import { parseRetryAfter } from "../../web/http/retry-after.js";
import { ChainError } from "../chain/chain.js";
import { LineReader, within } from "./line-reader.js";
import { SourceFault } from "./source-fault.js";

/** Milliseconds to wait for an answer, and for each further part. */
const stall = 30_000;
/** Units of an answer that is a value, of one with blocks, and of the words of an error that are shown. */
const longestAnswer = 64 * 1024;
const largestAnswer = 64 * 1024 * 1024;
const longestWords = 200;

/** Statuses after which a request may succeed later; those from 520 on are of proxies. */
const passing: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524]);

/** The HTTP requests to a service with history, and the judgement of their statuses. */
export class SourceEndpoint {
  /** Protocol, host and port. The path may contain a key. */
  readonly origin: string;
  readonly #world: World;
  readonly #address: NonNullable<ReturnType<typeof parseAddress>>;
  readonly #authorization: string | undefined;
  /** Removes secrets from words of others, and shortens them. */
  readonly #clean: (text: string) => string;

  /**
   * @param kind of the service, for messages: `the Portal`
   * @param token sent as a bearer token, unless the address contains a user
   * @throws ChainError if the address is not a web URL; the message does not quote it
   */
  constructor(address: string, world: World, kind: string, token?: string) {
    const parsed = parseAddress(address);
    if (!parsed)
      throw new ChainError(`The address of ${kind} is not a URL that starts with "http://" or "https://"`);
    this.#address = parsed;
    this.#world = world;
    this.origin = parsed.origin;
    this.#authorization = parsed.authorization ?? (token === undefined ? undefined : `Bearer ${token}`);
    const secrets = [...parsed.secrets, ...(token === undefined ? [] : [token])];
    this.#clean = (text) => {
      const short = redact(text.slice(0, 10 * longestWords), secrets);
      return visible(short.trim()).slice(0, longestWords);
    };
  }

  /** Asks for a value. @returns what the JSON says @throws SourceFault */
  async get(path: string): Promise<unknown> {
    const end = new AbortController();
    try {
      const answer = await this.#ask(path, end);
      const value = parseJson(await this.#textOf(answer, longestAnswer));
      if (value === undefined) throw new SourceFault("passing", `its answer to ${path} is not JSON`);
      return value;
    } finally {
      end.abort();
    }
  }

  /** Asks for blocks. @returns the whole answer @throws SourceFault */
  async text(path: string, body: object, end: AbortController): Promise<string> {
    const answer = await this.#ask(path, end, body);
    const text = await this.#textOf(answer, largestAnswer + 1);
    if (text.length <= largestAnswer) return text;
    end.abort();
    throw new SourceFault("lasting", `it sent an answer of more than ${largestAnswer / 1024 / 1024} MiB`);
  }

  /** Asks for blocks as lines. @throws SourceFault, `behind` if the service does not have them yet */
  async lines(path: string, body: object): Promise<LineReader> {
    const end = new AbortController();
    const answer = await this.#ask(path, end, body);
    if (answer.status === 200 && answer.body)
      return new LineReader(answer.body, {
        world: this.#world,
        stall,
        clean: this.#clean,
        end: () => end.abort(),
      });
    end.abort();
    if (answer.status === 204) throw new SourceFault("behind", "it does not have these blocks yet");
    throw new SourceFault("passing", "its answer is empty");
  }

  /** Sends a request, and judges the status of the answer. @param body for a POST */
  async #ask(path: string, end: AbortController, body?: object): Promise<Response> {
    const { href } = this.#address;
    const authorization = this.#authorization;
    const url = new URL(href);
    url.pathname = `${url.pathname.replace(/\/$/, "")}/${path}`;
    const request = this.#world.fetch(url.href, {
      method: body ? "POST" : "GET",
      headers: {
        ...(body && { "content-type": "application/json" }),
        ...(authorization !== undefined && { authorization }),
      },
      ...(body && { body: JSON.stringify(body) }),
      // The target of a redirect is not the one that the user chose, and must not get the key.
      redirect: "manual",
      signal: end.signal,
    });
    try {
      const answer = await within(this.#world, stall, request, this.#clean);
      if (answer.status === 200 || answer.status === 204) return answer;
      throw await this.#faultOf(answer, url.href);
    } catch (error) {
      end.abort();
      throw error;
    }
  }

  async #faultOf(answer: Response, href: string): Promise<SourceFault> {
    const { status, headers } = answer;
    if (status >= 300 && status < 400)
      return new SourceFault("lasting", this.#clean(redirectRefusal(headers.get("location"), href, status)));
    const text = await this.#textOf(answer, longestAnswer).catch(() => "");
    const said = text.trim() === "" ? "" : `: ${this.#clean(text)}`;
    const wait = parseRetryAfter(headers.get("retry-after"), this.#world.now());
    const why = `it answered with HTTP status ${status}${said}`;
    if (status === 409) return new SourceFault("fork", "its chain is another than before");
    if (passing.has(status) || wait !== undefined) return new SourceFault("passing", why, wait);
    return new SourceFault(status === 400 || status === 422 ? "fields" : "lasting", why);
  }

  /** The beginning of a text, however long it is. @throws SourceFault */
  async #textOf(answer: Response, most: number): Promise<string> {
    if (!answer.body) return "";
    const reader = answer.body.getReader();
    const decoder = new TextDecoder();
    const parts: string[] = [];
    let length = 0;
    while (length < most) {
      const { done, value } = await within(this.#world, stall, reader.read(), this.#clean);
      if (done) break;
      const part = decoder.decode(value, { stream: true });
      parts.push(part);
      length += part.length;
    }
    return parts.join("");
  }
}

/** Whether a value of JSON is the number of a block. */
export function isBlockNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
