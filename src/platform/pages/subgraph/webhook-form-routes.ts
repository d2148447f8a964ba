import { html } from "../../http/html.js";
import type { Platform } from "../../platform.js";
import { type EntryName, nameIn, requireVersion } from "../../subgraphs/find-subgraph.js";
import { plannedEntities } from "../../subgraphs/plan-entities.js";
import { changeWebhook, isOther } from "../../webhooks/change-webhook.js";
import { createWebhook } from "../../webhooks/create-webhook.js";
import { requireWebhookOf } from "../../webhooks/manage-webhooks.js";
import { newWebhookSecret } from "../../webhooks/new-ids.js";
import { readNewWebhook, readWebhookChange } from "../../webhooks/read-new-webhook.js";
import { pageOf } from "../addresses.js";
import { FormState, withFaults } from "../form-state.js";
import { createNotices, type Notices } from "../notices.js";
import type { Content, Visit } from "../page-scope.js";
import type { TabScope } from "./tab-scope.js";
import { addressOfTab, nameOfTab } from "./tabs.js";
import { changeFields, changeForm, newWebhookFields, newWebhookForm, retriesIn } from "./webhook-forms.js";
import { newSecret } from "./webhook-page.js";
import { webhookAddress } from "./webhook-parts.js";

/** The new secrets of a webhook, each shown once. @param own the address of its page */
export function webhookSecrets(platform: Platform, own: string): Notices<string> {
  return createNotices(platform, own);
}

/** Adds the forms that create and change webhooks. A refused form shows the user's input again. */
export function addWebhookForms(tabs: TabScope, platform: Platform): void {
  const { database, world } = platform;

  tabs.post(
    "webhooks",
    async ({ caller, form, visitor }, named) => {
      await requireVersion(database, nameIn(caller, named));
      const { body, faults } = retriesIn(form);
      const asked = withFaults(faults, () =>
        readNewWebhook({
          name: form.get("name") ?? "",
          entity: form.get("entity") ?? "",
          subgraph_name: named.name,
          subgraph_version: named.version,
          webhook_url: form.get("url")?.trim() ?? "",
          from_start: form.has("from_start"),
          ...body,
        }),
      );
      const { name, secret } = await createWebhook(platform, caller, asked);
      return showSecret(visitor, named, name, secret);
    },
    async ({ caller }, named, refused) => {
      const { deployment } = await requireVersion(database, nameIn(caller, named));
      const entities = (await plannedEntities(database, deployment)).map(({ name }) => name);
      const state = new FormState(newWebhookFields, refused);
      const form = newWebhookForm(pageOf(named), entities, state);
      return { title: "New webhook", trail: trailOf(named), body: html`${state.notice}${form}` };
    },
  );

  tabs.post(
    "webhooks/:webhook/change",
    async ({ caller, path, form, visitor }, named) => {
      const { name, url: before } = await requireWebhookOf(database, caller, named, path.webhook ?? "");
      const url = form.get("url")?.trim() ?? "";
      const given = form.get("secret")?.trim() ?? "";
      const { body, faults } = retriesIn(form);
      const change = withFaults(faults, () =>
        readWebhookChange({
          ...(url !== "" && { webhook_url: url }),
          ...(given !== "" && { secret: given }),
          ...body,
        }),
      );
      const made = given === "" && isOther(before, change.url) ? newWebhookSecret(world.now()) : undefined;
      await changeWebhook(platform, caller, name, { ...change, ...(made !== undefined && { secret: made }) });
      return made === undefined
        ? webhookAddress(pageOf(named), { name })
        : showSecret(visitor, named, name, made);
    },
    async ({ caller, path }, named, refused) => {
      const webhook = await requireWebhookOf(database, caller, named, path.webhook ?? "");
      const own = webhookAddress(pageOf(named), webhook);
      const state = new FormState(changeFields, refused);
      return {
        title: webhook.name,
        trail: [...trailOf(named), [webhook.name, own]],
        body: html`${state.notice}${changeForm(webhook, own, state)}`,
      };
    },
  );

  /** Leads to the page of a webhook, which shows its new secret once. */
  async function showSecret(
    visitor: Visit["visitor"],
    named: EntryName,
    name: string,
    secret: string,
  ): Promise<string | Content> {
    const own = webhookAddress(pageOf(named), { name });
    // Without a session, as in development, nothing could keep the secret for the next page.
    if (visitor.sessionId === undefined)
      return { title: name, body: html`${newSecret(secret)}<p><a href="${own}">Continue to ${name}</a></p>` };
    await webhookSecrets(platform, own).put({ visitor }, secret);
    return own;
  }
}

/** The pages above those of webhooks. */
function trailOf(named: EntryName): readonly (readonly [string, string])[] {
  const base = pageOf(named);
  return [
    ["Subgraphs", "/"],
    [`${named.name}/${named.version}`, base],
    [nameOfTab("webhooks"), addressOfTab(base, "webhooks")],
  ];
}
