import { visible } from "../../base/text/visible.js";
import { backoff } from "../../base/turns/backoff.js";
import type { World } from "../../base/world.js";
import { keptText } from "../../store/database/kept-text.js";
import { parseAddress, redact } from "../../web/http/address.js";
import type { Outgoing } from "../../web/outgoing/outgoing.js";
import { OutgoingError } from "../../web/outgoing/outgoing-error.js";
import { SealBroken, unseal } from "../sealing/sealed.js";
import type { ClaimedEvent, DueWebhook, Outcome } from "./claims.js";
import type { SenderLimits } from "./sender-limits.js";

const names: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** The dependencies of an attempt. */
export interface AttemptTools {
  readonly outgoing: Outgoing;
  readonly world: Pick<World, "now" | "random">;
  readonly secretKey: Uint8Array;
  readonly version: string;
  readonly limits: SenderLimits;
  readonly signal: AbortSignal;
}

/** The most characters to keep of an error and of an answer. */
const mostWords = 300;
const mostAnswer = 2_000;

/** Sends an event once. @returns `undefined` if the sender stopped meanwhile */
export async function attempt(
  webhook: DueWebhook,
  event: ClaimedEvent,
  tools: AttemptTools,
): Promise<Outcome | undefined> {
  const began = tools.world.now();
  const { answerStatus, error, answerBody = null, isStopped } = await send(webhook, event, tools);
  if (isStopped) return undefined;
  const duration = Math.max(0, tools.world.now() - began);
  const shown = { seq: event.seq, answerStatus, error, answerBody, duration };
  if (error === null) return { ...shown, status: "delivered", wait: 0 };
  const isLast = event.attempts >= webhook.retries;
  return { ...shown, status: isLast ? "failed" : "pending", wait: waitAfter(webhook, event, tools) };
}

interface Sent {
  readonly answerStatus: number | null;
  /** Why the delivery failed; null if it succeeded. */
  readonly error: string | null;
  readonly answerBody?: string;
  readonly isStopped?: boolean;
}

async function send(webhook: DueWebhook, event: ClaimedEvent, tools: AttemptTools): Promise<Sent> {
  const { outgoing, secretKey, version, limits, signal } = tools;
  const inAddress = parseAddress(webhook.url)?.secrets ?? [];
  try {
    const secret = unseal(secretKey, webhook.secret, webhook.id);
    const { status, body } = await outgoing.send({
      url: webhook.url,
      method: "POST",
      headers: { "content-type": "application/json", "user-agent": `graphloom/${version}` },
      secretHeaders: { "graphloom-webhook-secret": secret },
      body: bodyOf(webhook, event),
      timeout: webhook.timeout * limits.second,
      mostBytes: limits.mostBytes,
      excess: "cut",
      signal,
    });
    const isDelivered = status >= 200 && status <= 299;
    return {
      answerStatus: status,
      error: isDelivered ? null : `the receiver answered with status ${status}`,
      // A receiver may repeat what it received.
      answerBody: keptText(
        redact(new TextDecoder().decode(body), [...inAddress, ...spellingsOf(secret)]),
      ).slice(0, mostAnswer),
    };
  } catch (error) {
    if (error instanceof OutgoingError && error.kind === "stopped") {
      return { answerStatus: null, error: null, isStopped: true };
    }
    if (!(error instanceof OutgoingError || error instanceof SealBroken)) throw error;
    const words = visible(redact(error.message, inAddress)).slice(0, mostWords);
    return { answerStatus: null, error: words };
  }
}

/** The body that receivers get. The rows are already JSON. */
function bodyOf(webhook: DueWebhook, event: ClaimedEvent): string {
  const before = { op: event.op, data_source: webhook.dataSource };
  const after = {
    webhook_name: webhook.name,
    webhook_id: webhook.id,
    id: event.id,
    delivery_info: { max_retries: webhook.retries, current_retry: event.attempts },
    entity: webhook.entity,
  };
  const data = `"data":{"old":${event.old ?? "null"},"new":${event.new ?? "null"}}`;
  return `${JSON.stringify(before).slice(0, -1)},${data},${JSON.stringify(after).slice(1)}`;
}

/** Backoff whose jitter only adds: no retry comes before the interval of the webhook has passed. */
function waitAfter(
  { retryInterval }: DueWebhook,
  { attempts }: ClaimedEvent,
  { limits, world }: AttemptTools,
): number {
  const first = retryInterval * limits.second;
  const longest = Math.max(first, limits.longestWait);
  return backoff(attempts + 1, { first, longest, jitter: [1, 1.1] }, world.random());
}

/** The ways in which an answer may repeat a secret: unchanged, in JSON, and each of them in HTML. */
export function spellingsOf(secret: string): readonly string[] {
  const plain = [secret, JSON.stringify(secret).slice(1, -1)];
  const inHtml = [named, (character: string) => `&#${character.charCodeAt(0)};`].flatMap((reference) =>
    plain.map((text) => text.replace(/[&<>"']/g, reference)),
  );
  return [...new Set([...plain, ...inHtml])];
}

function named(character: string): string {
  return names[character] ?? "&#39;";
}
