import type { World } from "../../../base/world.js";
import type { Outgoing } from "../../../web/outgoing/outgoing.js";
import type { SecretHeader } from "../../http/http-auth.js";
import { post, type Reply } from "../../http/post.js";
import { SinkError } from "../../state/sink-error.js";
import type { Carrier, NumberedChanges } from "../delivery/carrier.js";
import { changeId, envelopeOf } from "../delivery/envelope.js";
import { partsOf } from "../delivery/parts.js";
import { RowError } from "../sink.js";

/** Where and how rows are posted. */
export interface WebhookOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly secret: SecretHeader | undefined;
  readonly isOnePerRequest: boolean;
  /** Most rows of a request. */
  readonly batchSize: number;
  /** What ids of changes begin with. */
  readonly stateId: string;
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "now">;
}

/** Characters of a body at most, unless a single row has more. */
const longestBody = 4 * 1024 * 1024;
/** Milliseconds for an answer. */
const timeout = 30_000;
/** Bytes of an answer that are read, for messages. */
const mostBytes = 4 * 1024;
/** Statuses that a receiver answers because of the rows. */
const ofRows: ReadonlySet<number | undefined> = new Set([400, 413, 422]);

/** Posts changes as JSON, one request after the other. */
export class WebhookCarrier implements Carrier {
  readonly #options: WebhookOptions;

  constructor(options: WebhookOptions) {
    this.#options = options;
  }

  async carry(changes: NumberedChanges, arrived: (count: number) => Promise<void>): Promise<void> {
    const { isOnePerRequest, batchSize, stateId } = this.#options;
    const texts = changes.operations.map((_, row) => envelopeOf(changes, row, stateId));
    const sizes = texts.map(({ length }) => length);
    for (const { start, end } of partsOf(sizes, isOnePerRequest ? 1 : batchSize, longestBody))
      await this.#sendRange(texts, changes.first, start, end, arrived);
  }

  /** Sends rows of a range. What the receiver refuses is sent in halves, until it is clear which row it is. */
  async #sendRange(
    texts: readonly string[],
    first: number,
    start: number,
    end: number,
    arrived: (count: number) => Promise<void>,
  ): Promise<void> {
    const reply = await this.#post(texts.slice(start, end), first + start);
    if (reply.kind === "accepted") return arrived(end);
    if (!ofRows.has(reply.status)) throw failure(reply);
    if (end - start === 1) throw new RowError(`The receiver ${reply.why}`, [start]);
    const middle = Math.ceil((start + end) / 2);
    await this.#sendRange(texts, first, start, middle, arrived);
    await this.#sendRange(texts, first, middle, end, arrived);
  }

  #post(texts: readonly string[], first: number): Promise<Reply> {
    const { url, headers, secret, isOnePerRequest, stateId, outgoing, clock } = this.#options;
    const sent = {
      "user-agent": "graphloom",
      ...headers,
      "content-type": "application/json",
      "idempotency-key": changeId(stateId, first),
    };
    const body = isOnePerRequest ? (texts[0] ?? "") : `[${texts.join(",")}]`;
    return post({ url, headers: sent, secret, body, timeout, mostBytes, excess: "cut" }, outgoing, () =>
      clock.now(),
    );
  }
}

function failure({ why, isTemporary, retryAfter }: Extract<Reply, { readonly kind: "failed" }>): SinkError {
  return new SinkError(`The receiver ${why}`, isTemporary, { retryAfter });
}
