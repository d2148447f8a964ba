import { type Html, html } from "../../http/html.js";
import type { FieldError } from "../../problem.js";
import type { Webhook } from "../../webhooks/webhooks.js";
import { type FormField, FormState } from "../form-state.js";
import { confirmed } from "../parts.js";

const retryFormFields: readonly FormField[] = [
  { name: "retries", path: "num_retries", subject: "The number of retries" },
  { name: "interval", path: "retry_interval_seconds", subject: "The time before the first retry" },
  { name: "timeout", path: "retry_timeout_seconds", subject: "The timeout" },
];
const url: FormField = { name: "url", path: "webhook_url", subject: "The URL" };

export const newWebhookFields: readonly FormField[] = [
  { name: "name", subject: "The name" },
  { name: "entity", subject: "The entity is wrong:" },
  url,
  ...retryFormFields,
];

export const changeFields: readonly FormField[] = [
  url,
  { name: "secret", subject: "The secret" },
  ...retryFormFields,
];

/** The form of a new webhook. @param entities the names of the tables that it can watch */
export function newWebhookForm(base: string, entities: readonly string[], state = new FormState()): Html {
  const given = (name: string) => html`name="${name}" value="${state.valueOf(name)}"`;
  const entity = state.valueOf("entity");
  const options = entities.map((name) => html`<option${name === entity && html` selected`}>${name}</option>`);
  return html`<details${state.refused && html` open`} class="confirm" id="new-webhook"><summary class="button main">New webhook</summary>
<form method="post" action="${base}/webhooks">
<p class="row">${state.field("name", html`<label>Name <input ${given("name")} required maxlength="42" autocomplete="off"${state.attributesOf("name")}></label>`)}
${state.field("entity", html`<label>Entity <select name="entity"${state.attributesOf("entity")}>${options}</select></label>`)}
${state.field("url", html`<label>URL of the receiver <input ${given("url")} type="url" required maxlength="2000" size="40" autocomplete="off"${state.attributesOf("url")}></label>`)}</p>
${retryFields({ retries: 10, retryInterval: 30, timeout: 30 }, state)}
<p><label class="box"><input type="checkbox" name="from_start"${state.isTicked("from_start") && html` checked`}> Send existing entities first</label></p>
<p><button class="main">Create webhook</button></p></form></details>`;
}

/** The form that changes a webhook. The secret is always empty, even if one was typed. @param own the address of its page */
export function changeForm(webhook: Webhook, own: string, state = new FormState()): Html {
  const isAnew = state.valueOf("secret") !== "";
  return html`<details${state.refused && html` open`} class="confirm" id="change"><summary class="button">Change</summary>
<form method="post" action="${own}/change">
<p class="row">${state.field("url", html`<label>New URL (leave empty to keep the current one) <input name="url" value="${state.valueOf("url")}" type="url" maxlength="2000" size="40" autocomplete="off"${state.attributesOf("url", "new-url")}></label>`)}
${state.field("secret", html`<label>Secret for the new URL (leave empty to generate one) <input name="secret" maxlength="200" size="30" autocomplete="off"${state.attributesOf("secret", isAnew && "type-again", "new-url")}></label>`)}</p>
${isAnew && html`<p id="type-again">The server does not send the secret back, so <strong>type it again</strong>.</p>`}
<p class="small soft" id="new-url">Every request carries the secret. Enter the current one only if the new receiver may know it.</p>
${retryFields(webhook, state)}
<p><button>Save ${webhook.name}</button></p></form></details>`;
}

/** The forms that change and delete a webhook. @param own the address of its page */
export function changeForms(webhook: Webhook, own: string): Html {
  const { name } = webhook;
  return html`${changeForm(webhook, own)}
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

function retryFields(
  { retries, retryInterval, timeout }: Pick<Webhook, "retries" | "retryInterval" | "timeout">,
  state: FormState,
): Html {
  const field = (name: RetryField, text: string, initial: number): Html => {
    const [least, most] = limits[name];
    const value = state.valueOf(name, String(initial));
    return state.field(
      name,
      html`<label>${text} <input name="${name}" type="number" value="${value}" min="${least}" max="${most}" required${state.attributesOf(name)}></label>`,
    );
  };
  return html`<p class="row">${field("retries", "Retries", retries)}
${field("interval", "Seconds before the first retry", retryInterval)}
${field("timeout", "Timeout of an attempt in seconds", timeout)}</p>`;
}

/** The retries of a form as a part of a request's body, and the errors in them. */
export function retriesIn(form: URLSearchParams) {
  const faults: FieldError[] = [];
  const numberIn = <Name extends string>(field: RetryField, path: Name): Partial<Record<Name, number>> => {
    const [least, most] = limits[field];
    const text = form.get(field)?.trim() ?? "";
    if (text === "") return {};
    const value = Number(text);
    if (Number.isInteger(value) && value >= least && value <= most)
      return { [path]: value } as Record<Name, number>;
    faults.push({ field: path, message: `must be a whole number from ${least} to ${most}` });
    return {};
  };
  const body = {
    ...numberIn("retries", "num_retries"),
    ...numberIn("interval", "retry_interval_seconds"),
    ...numberIn("timeout", "retry_timeout_seconds"),
  };
  return { body, faults };
}
