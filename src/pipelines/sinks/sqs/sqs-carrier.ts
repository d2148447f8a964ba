import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { foreignText } from "../../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../../base/text/json-value.js";
import { backoff } from "../../../base/turns/backoff.js";
import { wait } from "../../../base/turns/wait.js";
import type { World } from "../../../base/world.js";
import type { Outgoing } from "../../../web/outgoing/outgoing.js";
import { post, type Reply } from "../../http/post.js";
import { SinkError } from "../../state/sink-error.js";
import type { Carrier, NumberedChanges } from "../delivery/carrier.js";
import { changeId, envelopeOf, keyOf } from "../delivery/envelope.js";
import { RowError } from "../sink.js";
import type { SqsKey } from "./sqs-secret.js";

/** A message that the queue has not taken. */
interface FailedMessage {
  /** The index of the message in its request. */
  readonly index: number;
  /** Whether the message is at fault; otherwise it may be sent again. */
  readonly isRefused: boolean;
  /** Safe to show. */
  readonly why: string;
}

/** Which queue messages are sent to. */
export interface SqsOptions {
  readonly queueUrl: string;
  readonly key: SqsKey;
  readonly region: string;
  /** What ids of changes begin with. */
  readonly stateId: string;
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "now" | "timeout">;
}

/** Messages of a request at most. */
const mostMessages = 10;
/** Bytes of the messages of a request at most. */
const mostBytes = 262_144;
/** Milliseconds for an answer. */
const timeout = 30_000;
const answerBytes = 256 * 1024;
/** How often messages are sent again that the queue could not take. */
const mostAttempts = 4;
const pauses = { first: 100, longest: 2_000 };

/** A message as the queue gets it. */
interface Message {
  readonly row: number;
  readonly body: string;
  readonly bytes: number;
  /** Of a FIFO queue. */
  readonly group: string | undefined;
  readonly id: string;
}

/** Sends changes as messages, ten a request. */
export class SqsCarrier implements Carrier {
  readonly #options: SqsOptions;

  constructor(options: SqsOptions) {
    this.#options = options;
  }

  async carry(changes: NumberedChanges, arrived: (count: number) => Promise<void>): Promise<void> {
    const messages = changes.operations.map((_, row) => this.#message(changes, row));
    const large = messages.find(({ bytes }) => bytes > mostBytes);
    for (const part of requestsOf(messages)) {
      if (large && part.includes(large))
        throw new RowError(`A message has ${large.bytes} bytes; a queue takes ${mostBytes}`, [large.row]);
      await this.#sendAll(part);
      await arrived((part.at(-1)?.row ?? 0) + 1);
    }
  }

  /**
   * Sends messages until the queue has taken all. @throws SinkError; RowError for messages that it refuses
   */
  async #sendAll(part: readonly Message[]): Promise<void> {
    let left = part;
    for (let attempt = 1; ; attempt += 1) {
      const failed = await this.#sendOnce(left);
      const refused = failed.filter(({ isRefused }) => isRefused);
      if (refused.length > 0)
        throw new RowError(
          `The queue refuses a message: ${refused[0]?.why}`,
          refused.map(({ index, why }) => ({
            row: left[index]?.row ?? 0,
            why: `The queue refuses a message: ${why}`,
          })),
        );
      if (failed.length === 0) return;
      if (attempt === mostAttempts)
        throw new SinkError(`The queue has not taken a message: ${failed[0]?.why}`, true);
      const again = new Set(failed.map(({ index }) => index));
      left = left.filter((_, index) => again.has(index));
      await wait(backoff(attempt, pauses, 1), this.#options.clock, new AbortController().signal);
    }
  }

  async #sendOnce(messages: readonly Message[]): Promise<NonNullable<ReturnType<typeof readBatchAnswer>>> {
    const reply = await this.#post(
      JSON.stringify({
        QueueUrl: this.#options.queueUrl,
        Entries: messages.map(({ body, group, id }, index) => ({
          Id: String(index),
          MessageBody: body,
          ...(group !== undefined && { MessageGroupId: group, MessageDeduplicationId: id }),
        })),
      }),
    );
    if (reply.kind === "failed") throw failure(reply);
    const failed = readBatchAnswer(reply.body, messages.length);
    if (!failed) throw new SinkError("The queue has not said what became of each message", true);
    return failed;
  }

  async #post(body: string): Promise<Reply> {
    const { queueUrl, key, region, outgoing, clock } = this.#options;
    const url = new URL("/", queueUrl).href;
    const plain = {
      "user-agent": "graphloom",
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": "AmazonSQS.SendMessageBatch",
    };
    const signed = await new AwsV4Signer({
      method: "POST",
      url,
      headers: plain,
      body,
      service: "sqs",
      region,
      accessKeyId: key.accessKeyId,
      secretAccessKey: key.secretAccessKey,
      ...(key.sessionToken !== undefined && { sessionToken: key.sessionToken }),
      datetime: new Date(clock.now()).toISOString().replaceAll(/[:-]|\.\d{3}/g, ""),
    }).sign();
    const headers = Object.fromEntries(signed.headers.entries());
    const secrets = [key.secretAccessKey, ...(key.sessionToken === undefined ? [] : [key.sessionToken])];
    return post(
      { url, headers, secrets, body, timeout, mostBytes: answerBytes, excess: "refuse" },
      outgoing,
      () => clock.now(),
    );
  }

  #message(changes: NumberedChanges, row: number): Message {
    const { queueUrl, stateId } = this.#options;
    // Queues refuse two characters that JSON has no need to escape.
    const body = envelopeOf(changes, row, stateId).replaceAll(/[\ufffe\uffff]/g, (character) =>
      character === "\ufffe" ? "\\ufffe" : "\\uffff",
    );
    const group = queueUrl.endsWith(".fifo") ? groupOf(keyOf(changes, row)) : undefined;
    return { row, body, bytes: Buffer.byteLength(body), group, id: changeId(stateId, changes.first + row) };
  }
}

/** Messages of a group keep their order if each request has one of them at most: it may fail while later ones do not. */
function* requestsOf(messages: readonly Message[]): Generator<readonly Message[], void, void> {
  let part: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    const isFull =
      part.length === mostMessages ||
      bytes + message.bytes > mostBytes ||
      (message.group !== undefined && part.some(({ group }) => group === message.group));
    if (isFull && part.length > 0) {
      yield part;
      part = [];
      bytes = 0;
    }
    part.push(message);
    bytes += message.bytes;
  }
  if (part.length > 0) yield part;
}

/** A group is the key, as far as it has only characters that queues take, or else its hash. */
function groupOf(key: readonly string[]): string {
  const text = key.join("|");
  if (/^[\w!"#$%&'()*+,./:;<=>?@[\\\]^`{|}~-]{1,128}$/.test(text) && key.length === 1) return text;
  return createHash("sha256").update(JSON.stringify(key)).digest("hex");
}

/** Queues answer 400 and 403 also when they are asked too much. */
function failure({
  why,
  body,
  isTemporary,
  retryAfter,
}: Extract<Reply, { readonly kind: "failed" }>): SinkError {
  const isThrottled = /"__type"\s*:\s*"[^"]*(?:Throttl|OverLimit|ServiceUnavailable)/.test(body);
  return new SinkError(`The queue ${why}`, isTemporary || isThrottled, { retryAfter });
}

/**
 * Reads the answer to a request with messages whose ids are their indexes.
 * @param count messages of the request
 * @returns the failed messages; `undefined` for an answer without the outcome of each message
 */
function readBatchAnswer(body: Uint8Array, count: number): readonly FailedMessage[] | undefined {
  const answer = parseJson(Buffer.from(body).toString());
  if (!isRecord(answer)) return undefined;
  const { Successful: taken = [], Failed: failed = [] } = answer;
  if (!Array.isArray(taken) || !Array.isArray(failed)) return undefined;
  const entries: readonly unknown[] = [...taken, ...failed];
  const ids = new Set(entries.map((entry) => (isRecord(entry) ? entry.Id : undefined)));
  const isWhole =
    entries.length === count &&
    Array.from({ length: count }, (_, index) => String(index)).every((id) => ids.has(id));
  if (!isWhole) return undefined;
  return failed.map(({ Id, SenderFault, Code, Message }) => ({
    index: Number(Id),
    isRefused: SenderFault === true,
    why: foreignText([Code, Message].filter((text) => typeof text === "string").join(": ")),
  }));
}
