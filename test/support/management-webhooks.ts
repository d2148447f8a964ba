import { versionOf } from "./management-memory.js";
import type { Answer } from "./management-operations.js";
import { badRequest, conflict, Problem } from "./management-problem.js";
import type { ManagementOptions, ManagementState } from "./management-state.js";

/** Webhooks, and what they can watch. */
export function createWebhookOperations(
  state: ManagementState,
  options: ManagementOptions,
): Readonly<Record<string, Answer>> {
  const now = options.now ?? (() => Date.now());
  let serial = 0;
  return {
    listWebhookEntities: ({ parameters: { name, version } }) => ({
      data: {
        entities: versionOf(state, name, version).bundle.entities.map((entity) => ({
          name: entity.name,
          rows: "0",
          columns: entity.columns.map((column) => ({ name: column, data_type: "text" })),
        })),
      },
    }),
    listWebhooks: () => ({ data: state.webhooks.map(({ secret: _, ...shown }) => shown) }),
    createWebhook: ({ body }) => {
      const { name, subgraph_name, subgraph_version, entity, webhook_url, secret } = body as Record<
        string,
        string
      >;
      const { bundle } = versionOf(state, subgraph_name, subgraph_version);
      if (name?.trim() === "") throw badRequest({ field: "name", message: "is blank" });
      if (!bundle.entities.some((each) => each.name === entity)) {
        throw badRequest({ field: "entity", message: `there is no "${entity}"` });
      }
      if (!/^https?:\/\//.test(webhook_url ?? "")) {
        throw badRequest({ field: "webhook_url", message: "is no address of the web" });
      }
      if (state.webhooks.some((each) => each.name === name))
        throw conflict(`The webhook "${name}" is there already.`);
      serial++;
      const webhook = {
        id: `webhook_${serial.toString().padStart(24, "c")}`,
        name: String(name),
        webhook_url: String(webhook_url),
        entity: String(entity),
        subgraph_name: String(subgraph_name),
        subgraph_version: String(subgraph_version),
        created_at: new Date(now()).toISOString(),
        secret: secret ?? `whs_${serial.toString().padStart(26, "0")}`,
      };
      state.webhooks.push(webhook);
      return { data: { id: webhook.id, name: webhook.name, webhook_secret: webhook.secret } };
    },
    deleteWebhook: ({ parameters: { name } }) => {
      const index = state.webhooks.findIndex((each) => each.name === name);
      if (index < 0)
        throw new Problem(404, "webhook-not-found", "Webhook not found", `There is no webhook "${name}".`);
      state.webhooks.splice(index, 1);
      return {};
    },
  };
}
