import type { Html } from "../http/html.js";
import { mayActAs } from "../people/api-keys.js";
import type { Platform } from "../platform.js";
import { engineOf } from "../subgraphs/find-subgraph.js";
import { findVersion, type SubgraphVersion } from "../subgraphs/versions.js";
import { pauseWebhook, readDeliveries, redeliver, requireWebhookOf } from "../webhooks/manage-webhooks.js";
import { countPending } from "../webhooks/outbox.js";
import { listWebhooks, type Webhook } from "../webhooks/webhooks.js";
import { pageOf } from "./addresses.js";
import type { PageScope, Visit } from "./page-scope.js";
import { webhookList, webhookPage } from "./webhook-pages.js";

const address = "/dashboard/:name/:version/webhooks/:webhook";
const shownDeliveries = 50;

/** Adds the pages of webhooks. */
export function addWebhookPages(pages: PageScope, { database, hosting }: Platform): void {
  const required = ({ caller, path: { name = "", version = "", webhook = "" } }: Visit): Promise<Webhook> =>
    requireWebhookOf(database, caller, { name, version }, webhook);

  pages.get(address, "Viewer", async (visit) => {
    const webhook = await required(visit);
    const base = pageOf(versionOf(webhook));
    const before = visit.query.get("before") ?? "";
    const { deliveries, next } = await readDeliveries(database, webhook, {
      limit: shownDeliveries,
      ...(/^\d{1,18}$/.test(before) && { before }),
    });
    const pending = await countPending(database, webhook.id);
    const mayChange = mayActAs(visit.caller.role, "Editor");
    const entry = await findVersion(database, { project: visit.caller.project, ...versionOf(webhook) });
    const engine = entry && engineOf(hosting, entry.engine);
    return {
      title: webhook.name,
      trail: [
        ["Subgraphs", "/"],
        [`${webhook.subgraph}/${webhook.version}`, base],
      ],
      body: webhookPage(webhook, deliveries, {
        base,
        mayChange,
        pending,
        feedless: engine?.feedless,
        ...(next !== undefined && { older: `?before=${next}` }),
      }),
      isLive: before === "",
    };
  });

  for (const [action, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    pages.post(`${address}/${action}`, "Editor", async (visit) => {
      const { name } = await required(visit);
      return own(await pauseWebhook(database, visit.caller, name, isPaused));
    });
  }
  pages.post(`${address}/again`, "Editor", async (visit) => {
    const webhook = await required(visit);
    await redeliver(database, visit.caller, visit.form.get("id") ?? "");
    return own(webhook);
  });
}

/** The webhooks of a version, as part of its page. @throws DatabaseError */
export async function readWebhookList(
  { database, hosting }: Platform,
  entry: SubgraphVersion,
): Promise<Html | undefined> {
  const engine = engineOf(hosting, entry.engine);
  const all = await listWebhooks(database, entry.project);
  const ofVersion = all.filter(
    ({ subgraph, version }) => subgraph === entry.name && version === entry.version,
  );
  return webhookList(ofVersion, pageOf(entry), engine?.feedless);
}

function versionOf({ subgraph, version }: Webhook): Pick<SubgraphVersion, "name" | "version"> {
  return { name: subgraph, version };
}

function own(webhook: Webhook): string {
  return `${pageOf(versionOf(webhook))}/webhooks/${encodeURIComponent(webhook.name)}`;
}
