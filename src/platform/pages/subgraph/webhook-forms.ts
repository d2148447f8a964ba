import { type Html, html } from "../../http/html.js";
import { Problem } from "../../problem.js";
import type { Webhook } from "../../webhooks/webhooks.js";
import { confirmed } from "../parts.js";

/** The form of a new webhook. @param entities the names of the tables that it can watch */
export function newWebhookForm(base: string, entities: readonly string[]): Html {
  return html`<details class="confirm" id="new-webhook"><summary class="button main">New webhook</summary>
<form method="post" action="${base}/webhooks">
<p class="row"><label>Name <input name="name" required maxlength="42" autocomplete="off"></label>
<label>Entity <select name="entity">${entities.map((name) => html`<option>${name}</option>`)}</select></label>
<label>URL of the receiver <input name="url" type="url" required maxlength="2000" size="40" autocomplete="off"></label></p>
${retryFields({ retries: 10, retryInterval: 30, timeout: 30 })}
<p><label class="box"><input type="checkbox" name="from_start"> Send existing entities first</label></p>
<p><button class="main">Create webhook</button></p></form></details>`;
}

/** The forms that change and delete a webhook. @param own the address of its page */
export function changeForms(webhook: Webhook, own: string): Html {
  const { name } = webhook;
  return html`<details class="confirm" id="change"><summary class="button">Change</summary>
<form method="post" action="${own}/change">
<p class="row"><label>New URL (leave empty to keep the current one) <input name="url" type="url" maxlength="2000" size="40" autocomplete="off" aria-describedby="new-url"></label>
<label>Secret for the new URL (leave empty to generate one) <input name="secret" maxlength="200" size="30" autocomplete="off" aria-describedby="new-url"></label></p>
<p class="small soft" id="new-url">Every request carries the secret. Enter the current one only if the new receiver may know it.</p>
${retryFields(webhook)}
<p><button>Save ${name}</button></p></form></details>
${confirmed({
  id: "delete",
  word: "Delete",
  label: `Delete ${name}`,
  question: "All of its events are deleted with it, including those not sent yet. This cannot be undone.",
  action: `${own}/delete`,
  fields: html`<input type="hidden" name="name" value="${name}">`,
})}`;
}

/** The least and the largest value of each field. */
const limits = { retries: [0, 10], interval: [1, 86_400], timeout: [1, 300] } as const;
type RetryField = keyof typeof limits;

function retryFields({
  retries,
  retryInterval,
  timeout,
}: Pick<Webhook, "retries" | "retryInterval" | "timeout">): Html {
  const field = (name: RetryField, text: string, value: number): Html => {
    const [least, most] = limits[name];
    return html`<label>${text} <input name="${name}" type="number" value="${value}" min="${least}" max="${most}" required></label>`;
  };
  return html`<p class="row">${field("retries", "Retries", retries)}
${field("interval", "Seconds before the first retry", retryInterval)}
${field("timeout", "Timeout of an attempt in seconds", timeout)}</p>`;
}

/** The fields of a form as the body of a request, of which the API checks more. @throws Problem `bad-request` */
export function retriesIn(form: URLSearchParams) {
  return {
    ...numberIn(form, "retries", "num_retries"),
    ...numberIn(form, "interval", "retry_interval_seconds"),
    ...numberIn(form, "timeout", "retry_timeout_seconds"),
  };
}

function numberIn<Name extends string>(
  form: URLSearchParams,
  field: RetryField,
  name: Name,
): Partial<Record<Name, number>> {
  const [least, most] = limits[field];
  const text = form.get(field)?.trim() ?? "";
  if (text === "") return {};
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most)
    return { [name]: value } as Record<Name, number>;
  throw new Problem("bad-request", `The field ${name} must be a whole number from ${least} to ${most}.`);
}
