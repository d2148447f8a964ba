import { type Html, html } from "../../http/html.js";
import type { Delivery, DeliveryStatus } from "../../webhooks/outbox.js";
import type { LastAttempt } from "../../webhooks/receivers.js";
import { isDown, type Webhook } from "../../webhooks/webhooks.js";
import { copiedText } from "../copy-button.js";
import { digits, wideTable } from "../parts.js";
import { momentCell, momentHead, momentOf } from "../times.js";
import { type DeliveryHistory, deliveryChart } from "./delivery-chart.js";
import { receiverNotice } from "./receiver-notice.js";
import { changeForms } from "./webhook-forms.js";
import { hostOf, webhookAddress, webhookState } from "./webhook-parts.js";

/** The content of a webhook's page besides its deliveries. */
export interface WebhookPageFacts {
  /** The address of its version's page. */
  readonly base: string;
  readonly mayChange: boolean;
  /** The state of the deliveries that are shown; all when absent. */
  readonly status: DeliveryStatus | undefined;
  /** The secret of a new webhook, which is shown once. */
  readonly secret: string | undefined;
  /** The numbers of events by state. */
  readonly counts: Readonly<Partial<Record<DeliveryStatus, number>>>;
  /** Since when the oldest pending event waits. */
  readonly oldest: Date | undefined;
  readonly last: LastAttempt | undefined;
  readonly history: DeliveryHistory;
  /** The value of `before` for older deliveries. */
  readonly next?: string;
  /** Why the webhook cannot send anything, as the end of a sentence. */
  readonly feedless: string | undefined;
}

/** The words for the states of deliveries, and their colors. */
export const deliveryWords = {
  pending: ["pending", "warn"],
  delivered: ["delivered", "good"],
  failed: ["failed", "bad"],
} as const satisfies Readonly<Record<DeliveryStatus, readonly [string, string]>>;

/** A webhook with its latest deliveries. */
export function webhookPage(
  webhook: Webhook,
  deliveries: readonly Delivery[],
  facts: WebhookPageFacts,
): Html {
  const { base, mayChange, secret, counts, oldest, last, history, feedless } = facts;
  const own = webhookAddress(base, webhook);
  const { pending = 0, failed = 0 } = counts;
  return html`${secret !== undefined && newSecret(secret)}
<p class="row">${webhookState(webhook, feedless)} <span class="soft">${webhook.entity}</span></p>
${feedless !== undefined && html`<p class="notice bad" id="feedless">This webhook sends nothing: the subgraph ${feedless}.</p>`}
${isDown(webhook) && receiverNotice(webhook, base, last)}
<dl><dt>Pending</dt><dd>${digits(pending)} ${pending === 1 ? "event" : "events"}${oldest && html`, the oldest since ${momentOf(oldest)}`}</dd>
<dt>Sent to</dt><dd class="mono">${hostOf(webhook.url)}</dd>
<dt>Retries</dt><dd>at most ${webhook.retries}, the first after ${webhook.retryInterval} s; each attempt times out after ${webhook.timeout} s</dd></dl>
${mayChange && html`<div class="row actions">${pausing(webhook, own)}${failed > 0 && sendFailed(own, failed)}${changeForms(webhook, own)}</div>`}
${deliveryChart(history, own)}
<h2 id="deliveries">Deliveries</h2>
${deliveryList(deliveries, own, facts)}`;
}

/** The secret of a new webhook, or of one whose URL has changed. */
export function newSecret(secret: string): Html {
  return html`<div class="notice" role="status"><strong>The new secret of the webhook. Copy it now: it is not shown again.</strong> Requests carry it in the header <code>graphloom-webhook-secret</code>.
${copiedText("new-secret", secret, "the secret")}</div>`;
}

function pausing({ isPaused }: Webhook, own: string): Html {
  const [action, word] = isPaused ? ["resume", "Resume"] : ["pause", "Pause"];
  return html`<form method="post" action="${own}/${action}"><button id="pausing">${word}</button></form>`;
}

function sendFailed(own: string, failed: number): Html {
  const what = failed === 1 ? "the failed event" : `all ${digits(failed)} failed events`;
  return html`<form method="post" action="${own}/failed-again"><button>Send ${what} again</button></form>`;
}

function deliveryList(
  deliveries: readonly Delivery[],
  own: string,
  { status, mayChange, next }: WebhookPageFacts,
): Html {
  const filters = [undefined, ...Object.keys(deliveryWords)].map((each) => {
    const address = each === undefined ? own : `${own}?status=${each}`;
    return html`<li><a href="${address}"${each === status && html` aria-current="true"`}>${each ?? "all"}</a></li>`;
  });
  const older = new URLSearchParams({ ...(status && { status }), before: next ?? "" });
  return html`<nav aria-label="State of the deliveries"><ul class="pages">${filters}</ul></nav>
${deliveries.length === 0 ? html`<p class="soft">No deliveries${status === undefined ? " yet" : " in this state"}.</p>` : deliveryTable(deliveries, own, mayChange)}
${next !== undefined && html`<p><a href="?${String(older)}">Older deliveries</a></p>`}`;
}

function deliveryTable(deliveries: readonly Delivery[], own: string, mayChange: boolean): Html {
  const rows = deliveries.map((delivery) => {
    const { id, op, block, entityId, status, attempts, answerStatus, error, createdAt, dueAt } = delivery;
    const [word, tone] = deliveryWords[status];
    const retry = attempts > 0 && dueAt !== null && html` Next attempt ${momentCell(dueAt)}`;
    const again =
      mayChange &&
      status !== "pending" &&
      html`<form method="post" action="${own}/again"><input type="hidden" name="id" value="${id}"><button class="plain" aria-label="Send ${id} again">Send again</button></form>`;
    return html`<tr>
<td><a href="${own}/deliveries/${id}">${momentCell(createdAt)}</a></td>
<td>${op}</td><td class="number">${digits(block)}</td><td class="cell" title="${entityId ?? ""}">${entityId ?? ""}</td>
<td><span class="state ${tone}">${word}</span></td><td class="number">${attempts}</td>
<td class="small">${answerStatus ?? ""} ${error ?? ""}${retry}</td><td>${again}</td></tr>`;
  });
  const texts = ["Change", "Block", "Entity", "State", "Attempts", "Result", "Actions"];
  return wideTable([momentHead, ...texts.map(headOf)], rows, "Deliveries");
}

/** A heading above numbers, aligned with them. */
function headOf(text: string): Html {
  return ["Block", "Attempts"].includes(text)
    ? html`<th scope="col" class="number">${text}</th>`
    : html`<th scope="col">${text}</th>`;
}
