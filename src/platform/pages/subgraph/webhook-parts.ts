import { type Html, html } from "../../http/html.js";
import { isDown, type Webhook } from "../../webhooks/webhooks.js";

/** The state of a webhook. @param feedless why it cannot work */
export function webhookState(webhook: Webhook, feedless: string | undefined): Html {
  if (feedless !== undefined) return html`<span class="state bad">unavailable</span>`;
  if (webhook.isPaused) return html`<span class="state soft">paused</span>`;
  if (isDown(webhook)) return html`<span class="state bad">receiver down</span>`;
  return html`<span class="state good">active</span>`;
}

/** The origin of a receiver only, because the rest of its URL may hold a key. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "";
}

/** The address of the page of a webhook. @param base the address of its version's page */
export function webhookAddress(base: string, { name }: Pick<Webhook, "name">): string {
  return `${base}/webhooks/${encodeURIComponent(name)}`;
}
