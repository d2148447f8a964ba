import { createHash } from "node:crypto";
import { foreignText } from "../base/text/foreign-text.js";
import { isRecord, parseJson } from "../base/text/json-value.js";
import type { World } from "../base/world.js";
import { parseAddress, redact, shownAddress } from "../web/http/address.js";
import { HttpError } from "../web/http/http-error.js";
import type { HttpAnswer } from "../web/http/http-request.js";
import { mostAttempts, retryWait } from "../web/http/retry-wait.js";
import { type SendOptions, send } from "../web/http/send.js";
import { EndpointFailure } from "./endpoint-failure.js";

const tooLate = /time(?:d)?[ -]?out|took too long/i;

/** Advice for an error, by the messages of graph-node and of compatible servers. */
const known: readonly (readonly [pattern: RegExp, advice: string])[] = [
  [
    /indexing_error/,
    "indexing failed at or before this block, so its entities are unreliable; pass an earlier --block",
  ],
  [
    /only has data starting at block number \d+/,
    "it no longer keeps the history of this block; pass a later --block",
  ],
  [/has only indexed up to block number \d+/, "it has not reached this block yet; pass an earlier --block"],
  [tooLate, "the query took too long; request fewer entities at once with --page"],
  [
    /too many requests|rate limit/i,
    "it receives too many requests; pass a lower --rate (with --state, the same command resumes)",
  ],
];

/** A GraphQL endpoint, and how to query it. */
export interface EndpointOptions {
  /** Its name in messages. */
  readonly name: string;
  /** The option that passes its key: `--header-left`. */
  readonly keyOption: string;
  readonly url: string;
  /** HTTP headers, by name in lower case; never shown. */
  readonly headers: Readonly<Record<string, string>>;
  /** Waits until the next request may be sent; see `createPace`. */
  readonly pace: () => Promise<void>;
  readonly world: World;
  readonly sending: SendOptions;
}

/** A GraphQL endpoint of a subgraph. */
export interface QueryEndpoint {
  readonly name: string;
  /** Its address for people, without any part that may be a key. */
  readonly shown: string;
  /** Identifies its address without revealing it. */
  readonly identity: string;
  /**
   * Sends a query.
   * @returns `data` of the answer
   * @throws EndpointFailure when the answer has no data, or also has errors
   * @throws HttpError when the user interrupts
   */
  ask(
    query: string,
    variables?: Readonly<Record<string, unknown>>,
  ): Promise<Readonly<Record<string, unknown>>>;
  /** Removes keys from a string of the endpoint, which may echo them. */
  clean(text: string): string;
  /** Creates a failure of this endpoint; the message names the endpoint. */
  failure(reason: string): EndpointFailure;
}

/** The largest answer in bytes: a thousand large entities, or the introspection of a large schema. */
const largestAnswer = 32 * 1_048_576;

/** Creates an endpoint without sending anything. */
export function createQueryEndpoint(options: EndpointOptions): QueryEndpoint {
  const { name, keyOption, url, headers, pace, world, sending } = options;
  const address = parseAddress(url);
  const keys = [...Object.values(headers).flatMap(secretsOf), ...(address?.credentials ?? [])];
  const clean = (text: string): string => redact(text, keys);
  // The path of a hosted service may contain a key, so only the server is shown.
  const shown = address?.origin ?? shownAddress(url);
  const failure = (reason: string): EndpointFailure => new EndpointFailure(`${name} (${shown}): ${reason}`);
  const concealed = (text: string): string => foreignText(redact(clean(text), address?.secrets ?? []));
  return {
    name,
    shown,
    identity: createHash("sha256").update(url).digest("hex"),
    clean,
    failure,
    async ask(query, variables = {}) {
      const { answer, body, messages } = await answerTo({ query, variables });
      if (messages.length > 0) throw failure(explainErrors(messages, keyOption, concealed));
      if (answer.status !== 200) throw failure(explainStatus(answer, keyOption, concealed));
      if (!isRecord(body) || !isRecord(body.data))
        throw failure("its answer is not GraphQL; check that this is the address for queries");
      return body.data;
    },
  };

  /** Sends a query; retries when the answer is cut off or times out, as when the server is busy. */
  async function answerTo(question: unknown): Promise<Answered> {
    for (let attempt = 1; ; attempt++) {
      await pace();
      const answer = await post(question);
      const body = parseJson(answer.text);
      const messages = isRecord(body) ? messagesOf(body.errors) : [];
      const trouble = isCut(answer, body) ? "its answer was cut off" : messages.find(saysTooLate);
      const wait = trouble === undefined ? undefined : retryWait(attempt, world.random(), undefined);
      if (wait === undefined || attempt >= mostAttempts) return { answer, body, messages };
      sending.onRetry?.(`${name} (${shown}): ${concealed(trouble ?? "")}`, wait);
      await world.sleep(wait);
    }
  }

  async function post(value: unknown): Promise<HttpAnswer> {
    const request = {
      method: "POST",
      url,
      headers: { accept: "application/json", ...headers },
      body: { kind: "json", value },
      retry: true,
    } as const;
    try {
      return await send(request, world, { maxAnswer: largestAnswer, ...sending });
    } catch (error) {
      if (!(error instanceof HttpError) || error.kind === "interrupted") throw error;
      const advice = error.kind === "too-large" ? "; request fewer entities at once with --page" : "";
      throw failure(`${concealed(error.reason)}${advice}`);
    }
  }
}

/** An answer, parsed as far as possible. */
interface Answered {
  readonly answer: HttpAnswer;
  readonly body: unknown;
  /** The messages of its errors. */
  readonly messages: readonly string[];
}

/** Whether an answer starts like JSON but does not end like it. */
function isCut({ status, text }: HttpAnswer, body: unknown): boolean {
  return status === 200 && body === undefined && text.trimStart().startsWith("{");
}

/** A header's value, and the key in it: `Bearer <key>`. */
function secretsOf(value: string): readonly string[] {
  return [value, ...value.split(" ")].filter((part) => part.length > 3);
}

function messagesOf(errors: unknown): readonly string[] {
  if (!Array.isArray(errors)) return [];
  return errors.map((error: unknown) =>
    isRecord(error) && typeof error.message === "string" ? error.message : "an error without a message",
  );
}

/** Whether an error says that a query took too long; a retry may succeed. */
function saysTooLate(message: string): boolean {
  return tooLate.test(message);
}

/**
 * Explains the errors of an answer, and what to do about them.
 * @param clean makes a server's string safe to show
 */
function explainErrors(
  messages: readonly string[],
  keyOption: string,
  clean: (text: string) => string,
): string {
  const text = messages.join("; ");
  const advice = known.find(([pattern]) => pattern.test(text))?.[1];
  const said = `it says "${clean(text)}"`;
  if (advice !== undefined) return `${advice} (${said})`;
  if (/auth|api key|payment|subscription/i.test(text)) return `${said}; pass a key with ${keyOption}`;
  return said;
}

/** Explains a status other than 200, and what to do about it. @param clean makes a server's string safe to show */
function explainStatus(
  { status, statusText, text, attempts }: HttpAnswer,
  keyOption: string,
  clean: (text: string) => string,
): string {
  const head = `status ${status}${attempts > 1 ? ` after ${attempts} attempts` : ""}`;
  if (status === 429)
    return `${head}: it receives too many requests; pass a lower --rate (with --state, the same command resumes)`;
  if (status === 401 || status === 403) return `${head}: it requires a valid key, passed with ${keyOption}`;
  if (status === 404) return `${head}: there is nothing at this address`;
  return `${head}: ${clean(text.trim() === "" ? statusText : text)}`;
}
