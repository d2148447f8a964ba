import { type Html, html } from "../../http/html.js";
import type { LastAttempt } from "../../webhooks/receivers.js";
import type { Webhook } from "../../webhooks/webhooks.js";
import { digits } from "../parts.js";
import { momentOf } from "../times.js";
import { hostOf, webhookAddress } from "./webhook-parts.js";

/**
 * Says that a receiver is down, what it last said, and when it is tried again.
 * @param base the address of the page of the webhook's version
 * @param last its last attempt
 * @param waiting the number of events that wait for it, if known
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
