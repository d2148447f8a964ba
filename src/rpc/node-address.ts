import { type BackoffTimes, backoff } from "../base/turns/backoff.js";
import type { World } from "../base/world.js";
import { type Address, parseAddress, redact } from "../web/http/address.js";
import { isClosed, networkFailure } from "../web/http/network-failure.js";
import { AnswerTooLong } from "../web/http/read-bytes.js";
import { redirectRefusal } from "../web/http/redirect-target.js";
import { AnswerTooDeep, readAnswer } from "./read-answer.js";

/** A node's answer, or why there is none. */
export interface NodeAnswer {
  readonly status: number;
  readonly bytes: Uint8Array;
  readonly retryAfter?: string;
  /**
   * Set if the node did not answer, because it is away, was too slow, or closed the connection. The bytes are then
   * the reason.
   */
  readonly silence?: "away" | "late" | "closed";
}

/** Milliseconds. */
const timeout = 30_000;
const largestAnswer = 128 * 1_048_576;
/** How long after a failure an address is tried last. */
const rest: BackoffTimes = { first: 1_000, longest: 60_000 };

export class NodeAddress {
  readonly #address: Address;
  readonly #world: Pick<World, "fetch" | "now" | "random" | "timeout">;
  #failures = 0;
  #restsUntil = 0;

  /** @throws Error if the text is not a web URL. The message does not quote it, because it may contain a key */
  constructor(text: string, world: Pick<World, "fetch" | "now" | "random" | "timeout">) {
    const address = parseAddress(text);
    if (!address) {
      throw new Error('the address of a node must start with "http://" or "https://"');
    }
    this.#address = address;
    this.#world = world;
  }

  /** The part of the address that messages may show. */
  get name(): string {
    return this.#address.origin;
  }

  /** Whether it failed recently and should rest. */
  get rests(): boolean {
    return this.#restsUntil > this.#world.now();
  }

  /** Sends JSON. Returns a missing answer as an answer with a status, too. */
  async post(body: string, signal: AbortSignal): Promise<NodeAnswer> {
    const answer = await this.#post(body, signal);
    if (isAway(answer.status) && !signal.aborted) {
      this.#failures += 1;
      this.#restsUntil = this.#world.now() + backoff(this.#failures, rest, this.#world.random());
    } else {
      this.#failures = 0;
      this.#restsUntil = 0;
    }
    return answer;
  }

  /** Removes the address's possible keys from a text, because nodes repeat them. */
  redact(text: string): string {
    return redact(text, this.#address.secrets);
  }

  async #post(body: string, signal: AbortSignal): Promise<NodeAnswer> {
    const { href, authorization } = this.#address;
    const headers = {
      "content-type": "application/json",
      ...(authorization !== undefined && { authorization }),
    };
    const late = this.#world.timeout(timeout);
    try {
      const response = await this.#world.fetch(href, {
        method: "POST",
        headers,
        body,
        // A redirect may lead to an address that is not allowed.
        redirect: "manual",
        signal: AbortSignal.any([late, signal]),
      });
      if (response.status >= 300 && response.status < 400) return await this.#redirected(response);
      const bytes = await readAnswer(response, largestAnswer);
      const retryAfter = response.headers.get("retry-after");
      return {
        status: response.status,
        bytes: response.ok ? bytes : this.#said(new TextDecoder().decode(bytes.subarray(0, 2_000))),
        ...(retryAfter !== null && { retryAfter }),
      };
    } catch (error) {
      if (late.aborted) return { status: 504, bytes: this.#said("no answer in time"), silence: "late" };
      if (error instanceof AnswerTooLong || error instanceof AnswerTooDeep) {
        return { status: 504, bytes: this.#said(error.message), silence: "late" };
      }
      const { reason } = networkFailure(error, (text) => this.redact(text));
      return { status: 503, bytes: this.#said(reason), silence: isClosed(error) ? "closed" : "away" };
    }
  }

  async #redirected({ status, body, headers }: Response): Promise<NodeAnswer> {
    await body?.cancel();
    const why = redirectRefusal(headers.get("location"), this.#address.href, status);
    return { status: 502, bytes: this.#said(why), silence: "away" };
  }

  #said(text: string): Uint8Array {
    return new TextEncoder().encode(this.redact(text));
  }
}

/** Whether another address may do better, because this one is away or overloaded, or denies access. */
export function isAway(status: number): boolean {
  return status >= 500 || [401, 402, 403, 404, 407, 408, 425, 429].includes(status);
}
