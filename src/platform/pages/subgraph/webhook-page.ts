import { type Html, html } from "../../http/html.js";
import type { Delivery } from "../../webhooks/outbox.js";
import type { Webhook } from "../../webhooks/webhooks.js";
import { digits, wideTable } from "../parts.js";

/** The content of a webhook's page besides its deliveries. */
export interface WebhookPageFacts {
  /** The address of its version's page. */
  readonly base: string;
  readonly mayChange: boolean;
  /** The number of events that are waiting to be sent. */
  readonly pending: number;
  /** The address of older deliveries. */
  readonly older?: string;
  /** Why the webhook cannot send anything, as the end of a sentence. */
  readonly feedless?: string | undefined;
}

/** A webhook with its latest deliveries. */
export function webhookPage(
  webhook: Webhook,
  deliveries: readonly Delivery[],
  { base, mayChange, pending, older, feedless }: WebhookPageFacts,
): Html {
  const own = webhookAddress(base, webhook);
  const [action, word] = webhook.isPaused ? ["resume", "Resume"] : ["pause", "Pause"];
  return html`<p class="row">${webhookState(webhook, feedless)} <span class="soft">${webhook.entity}</span></p>
${feedless !== undefined && html`<p class="notice bad" id="feedless">This webhook sends nothing: the subgraph ${feedless}.</p>`}
${webhook.restsUntil && html`<p class="notice bad" id="down">The receiver is down. The next attempt is at ${timeOf(webhook.restsUntil)} UTC.${lastAnswer(deliveries)}</p>`}
<dl><dt>Waiting</dt><dd>${digits(pending)} ${pending === 1 ? "event" : "events"}</dd>
<dt>Sent to</dt><dd class="mono">${hostOf(webhook.url)}</dd>
<dt>Retries</dt><dd>at most ${webhook.retries}, the first after ${webhook.retryInterval} s; each attempt times out after ${webhook.timeout} s</dd></dl>
${mayChange && html`<form class="line" method="post" action="${own}/${action}"><button id="pausing">${word}</button></form>`}
<h2>Deliveries</h2>
${deliveries.length === 0 ? html`<p class="soft">No deliveries yet.</p>` : deliveryTable(deliveries, mayChange ? own : undefined)}
${older !== undefined && html`<p><a href="${older}">Older deliveries</a></p>`}`;
}

/** The last result of a delivery. */
function lastAnswer(deliveries: readonly Delivery[]): Html | undefined {
  const last = deliveries.find(({ answerStatus, error }) => answerStatus || error);
  return last && html` Last result: ${last.answerStatus ?? ""} ${last.error ?? ""}`;
}

function timeOf(date: Date): Html {
  const text = date.toISOString();
  return html`<time datetime="${text}">${text.slice(0, 19).replace("T", " ")}</time>`;
}

function deliveryTable(deliveries: readonly Delivery[], own: string | undefined): Html {
  const tone = { pending: "warn", delivered: "good", failed: "bad" } as const;
  const rows = deliveries.map(
    ({ id, op, block, entityId, status, attempts, answerStatus, error, createdAt }) => html`<tr>
<td><time datetime="${createdAt.toISOString()}">${createdAt.toISOString().slice(0, 19).replace("T", " ")}</time></td>
<td>${op}</td><td class="number">${digits(block)}</td><td class="cell" title="${entityId ?? ""}">${entityId ?? ""}</td>
<td class="${tone[status]}">${status}</td><td class="number">${attempts}</td>
<td class="small">${answerStatus ?? ""} ${error ?? ""}</td>
<td>${own !== undefined && status !== "pending" && html`<form method="post" action="${own}/again"><input type="hidden" name="id" value="${id}"><button class="plain" aria-label="Send ${id} again">Send again</button></form>`}</td></tr>`,
  );
  const texts = ["Time (UTC)", "Change", "Block", "Entity", "State", "Attempts", "Result", "Actions"];
  return wideTable(
    texts.map((text) => html`<th scope="col">${text}</th>`),
    rows,
    "Deliveries",
  );
}

/** The state of a webhook. @param feedless why it cannot work */
export function webhookState({ isPaused, restsUntil }: Webhook, feedless: string | undefined): Html {
  if (feedless !== undefined) return html`<span class="state bad">unavailable</span>`;
  if (isPaused) return html`<span class="state soft">paused</span>`;
  if (restsUntil) return html`<span class="state bad">receiver down</span>`;
  return html`<span class="state good">active</span>`;
}

/** The origin of a receiver only, because the rest of its URL may hold a key. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}

/** The address of the page of a webhook. @param base the address of its version's page */
export function webhookAddress(base: string, { name }: Webhook): string {
  return `${base}/webhooks/${encodeURIComponent(name)}`;
}
