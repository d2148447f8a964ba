import { rangeOf, spanOf } from "../../figures/ranges.js";
import { type Html, html, linesOf } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { engineOf } from "../../subgraphs/find-subgraph.js";
import {
  pauseWebhook,
  readDeliveries,
  redeliver,
  redeliverFailed,
  removeWebhook,
  requireWebhookOf,
  showDelivery,
} from "../../webhooks/manage-webhooks.js";
import {
  countDeliveries,
  deliveryStatuses,
  oldestPending,
  type WholeDelivery,
} from "../../webhooks/outbox.js";
import { readOutcomes } from "../../webhooks/outcome-figures.js";
import { pageOf } from "../addresses.js";
import { copyButton } from "../copy-button.js";
import { createKept } from "../kept-for.js";
import { digits } from "../parts.js";
import { momentOf } from "../times.js";
import type { DeliveryHistory } from "./delivery-chart.js";
import type { ReadLastAttempts } from "./last-attempts.js";
import type { TabScope } from "./tab-scope.js";
import { addWebhookForms, webhookSecrets } from "./webhook-form-routes.js";
import { deliveryWords, webhookPage } from "./webhook-page.js";
import { webhookAddress } from "./webhook-parts.js";

const shownDeliveries = 50;

/** Adds the pages of single webhooks and their deliveries, and the forms that change them. */
export function addWebhookPages(tabs: TabScope, platform: Platform, attemptsOf: ReadLastAttempts): void {
  const { database, hosting, world } = platform;
  const kept = createKept<DeliveryHistory>(world);
  addWebhookForms(tabs, platform);

  tabs.get("webhooks", "/:webhook", async (visit) => {
    const { caller, path, query, entry, base, mayChange } = visit;
    const webhook = await requireWebhookOf(database, caller, entry, path.webhook ?? "");
    const own = webhookAddress(base, webhook);
    const before = query.get("before") ?? "";
    const status = deliveryStatuses.find((each) => each === query.get("status"));
    const { deliveries, next } = await readDeliveries(database, webhook, {
      limit: shownDeliveries,
      ...(status && { status }),
      ...(/^\d{1,18}$/.test(before) && { before }),
    });
    const secret = await webhookSecrets(platform, own).take(visit);
    const range = rangeOf(query.get("range"));
    const history = await kept([webhook.project, webhook.id, range.name].join("\n"), async (now) => {
      const span = spanOf(range, now);
      return { range, span, figures: await readOutcomes(database, webhook, span) };
    });
    const body = webhookPage(webhook, deliveries, {
      base,
      mayChange,
      status,
      secret,
      history,
      counts: (await countDeliveries(database, [webhook.id])).get(webhook.id) ?? {},
      oldest: await oldestPending(database, webhook.id),
      last: (await attemptsOf([webhook])).get(webhook.id),
      feedless: engineOf(hosting, entry.engine)?.feedless,
      ...(next !== undefined && { next }),
    });
    // A renewal would remove the secret, which is shown once.
    return { part: webhook.name, body, isLive: before === "" && secret === undefined };
  });

  tabs.get("webhooks", "/:webhook/deliveries/:id", async ({ caller, path, entry, base, mayChange }) => {
    const webhook = await requireWebhookOf(database, caller, entry, path.webhook ?? "");
    const delivery = await showDelivery(database, webhook, path.id ?? "");
    const own = webhookAddress(base, webhook);
    return { part: `${webhook.name}, delivery`, body: deliveryPage(delivery, own, mayChange), isLive: true };
  });

  for (const [action, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    tabs.post(`webhooks/:webhook/${action}`, async ({ caller, path }, named) => {
      const { name } = await requireWebhookOf(database, caller, named, path.webhook ?? "");
      return webhookAddress(pageOf(named), await pauseWebhook(database, caller, name, isPaused));
    });
  }
  tabs.post("webhooks/:webhook/delete", async ({ caller, path, form }, named) => {
    const { name } = await requireWebhookOf(database, caller, named, path.webhook ?? "");
    if (form.get("name") !== name)
      throw new Problem("bad-request", `Nothing was deleted, because the form does not name ${name}.`);
    await removeWebhook(platform, caller, name);
    return `${pageOf(named)}/webhooks`;
  });
  tabs.post("webhooks/:webhook/again", async ({ caller, path, form }, named) => {
    const webhook = await requireWebhookOf(database, caller, named, path.webhook ?? "");
    await redeliver(database, caller, form.get("id") ?? "");
    return webhookAddress(pageOf(named), webhook);
  });
  tabs.post("webhooks/:webhook/failed-again", async ({ caller, path }, named) => {
    const webhook = await requireWebhookOf(database, caller, named, path.webhook ?? "");
    await redeliverFailed(database, caller, webhook.name);
    return webhookAddress(pageOf(named), webhook);
  });
}

/**
 * An event of a webhook: its rows, the receiver's answer, and the next attempt.
 * @param own the address of the webhook's page
 */
function deliveryPage(delivery: WholeDelivery, own: string, mayChange: boolean): Html {
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
