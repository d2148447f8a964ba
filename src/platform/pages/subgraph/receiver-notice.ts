import { type Html, html } from "../../http/html.js";
import type { LastAttempt } from "../../webhooks/receivers.js";
import type { Webhook } from "../../webhooks/webhooks.js";
import { digits } from "../parts.js";
import { momentOf } from "../times.js";
import { hostOf, webhookAddress } from "./webhook-parts.js";

/**
 * Reports that a receiver is down, with its last response and the next attempt.
 * @param base the address of the page of the webhook's version
 * @param last its last attempt
 * @param waiting the number of waiting events, if known
 */
export function receiverNotice(
  webhook: Webhook,
  base: string,
  last: LastAttempt | undefined,
  waiting?: number,
): Html {
  const { name, url, restsUntil } = webhook;
  return html`<p class="notice bad"><strong>The receiver of <a href="${webhookAddress(base, webhook)}">${name}</a> is down.</strong> ${hostOf(url)}${resultOf(last)}
${last?.deliveredAt != null && html` Last delivery: ${momentOf(last.deliveredAt)}.`}
${restsUntil && html` Next attempt: ${momentOf(restsUntil)}.`}
${waiting !== undefined && html` ${digits(waiting)} ${waiting === 1 ? "event waits" : "events wait"}.`}</p>`;
}

/** `: the receiver answered with status 503.` */
function resultOf(last: LastAttempt | undefined): string {
  return last?.error == null ? "." : `: ${last.error}.`;
}
