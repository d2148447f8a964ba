import { type Html, html, linesOf } from "../../http/html.js";
import type { WholeDelivery } from "../../webhooks/outbox.js";
import { copyButton } from "../copy-button.js";
import { digits } from "../parts.js";
import { momentOf } from "../times.js";
import { deliveryWords } from "./webhook-page.js";

/**
 * An event of a webhook: the rows that it carries, what the receiver answered, and when it is tried again.
 * @param own the address of the webhook's page
 */
export function deliveryPage(delivery: WholeDelivery, own: string, mayChange: boolean): Html {
  const { id, op, block, status, attempts, duration, createdAt, attemptedAt, dueAt } = delivery;
  const [word, tone] = deliveryWords[status];
  const fact = (name: string, value: Html | string | null) =>
    value !== null && html`<dt>${name}</dt><dd>${value}</dd>`;
  return html`<p class="row"><span class="state ${tone}">${word}</span> <span class="soft">${op}</span></p>
<dl>${fact("ID", html`<span class="mono">${id}</span>`)}
${fact("Block", digits(block))}
${fact("Entity", delivery.entityId)}
${fact("Created", momentOf(createdAt))}
${fact("Attempts", digits(attempts))}
${fact("Last attempt", attemptedAt && html`${momentOf(attemptedAt)}${duration !== null && `, ${digits(duration)} ms`}`)}
${fact("Next attempt", dueAt && momentOf(dueAt))}</dl>
${mayChange && status !== "pending" && html`<form class="line" method="post" action="${own}/again"><input type="hidden" name="id" value="${id}"><button>Send again</button></form>`}
<h2 id="answer">Answer</h2>
${answerOf(delivery)}
<h2 id="payload">Payload</h2>
${rowOf("Before", "old", delivery.old)}${rowOf("After", "new", delivery.new)}`;
}

function answerOf({ answerStatus, error, answerBody, attemptedAt }: WholeDelivery): Html {
  if (!attemptedAt) return html`<p class="soft">This event has not been sent yet.</p>`;
  const result =
    answerStatus === null
      ? "The receiver did not answer"
      : `The receiver answered with status ${answerStatus}`;
  return html`<p>${result}${answerStatus === null && error !== null ? `: ${error}` : ""}.</p>
${answerBody !== null && answerBody !== "" && html`<pre id="answer-body">${linesOf(answerBody)}</pre>`}`;
}

/** A row of an event, as JSON. */
function rowOf(title: string, id: string, row: string | null): Html | undefined {
  if (row === null) return undefined;
  const text = JSON.stringify(JSON.parse(row), null, 2);
  return html`<p class="row"><strong>${title}</strong> ${copyButton(`row-${id}`, "the row")}</p><pre id="row-${id}">${linesOf(text)}</pre>`;
}
