import { mayActAs } from "../people/api-keys.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { findVersion, type SubgraphVersion } from "../subgraphs/versions.js";
import { countPending, listDeliveries, sendAgain, wakeSenders } from "../webhooks/outbox.js";
import { findWebhook, listWebhooks, setWebhookPaused, type Webhook } from "../webhooks/webhooks.js";
import { pageOf } from "./addresses.js";
import type { Html } from "./html.js";
import type { PageScope, Visit } from "./page-scope.js";
import { webhookList, webhookPage } from "./webhook-pages.js";

const address = "/dashboard/:name/:version/webhooks/:webhook";
const shownDeliveries = 50;

/** The pages of webhooks. */
export function addWebhookPages(pages: PageScope, { database, hosting }: Platform): void {
  const required = async ({ caller, path }: Visit): Promise<Webhook> => {
    const found = await findWebhook(database, caller.project, path.webhook ?? "");
    const isOfVersion = found?.subgraph === path.name && found?.version === path.version;
    if (!found || !isOfVersion)
      throw new Problem("webhook-not-found", `There is no webhook ${path.webhook}.`);
    return found;
  };

  pages.get(address, "Viewer", async (visit) => {
    const webhook = await required(visit);
    const base = pageOf(versionOf(webhook));
    const before = visit.query.get("before") ?? "";
    const deliveries = await listDeliveries(database, webhook.id, {
      limit: shownDeliveries,
      ...(/^\d{1,18}$/.test(before) && { before }),
    });
    const older = deliveries.length === shownDeliveries ? `?before=${deliveries.at(-1)?.seq}` : undefined;
    const pending = await countPending(database, webhook.id);
    const mayChange = mayActAs(visit.caller.role, "Editor");
    const entry = await findVersion(database, { project: visit.caller.project, ...versionOf(webhook) });
    const engine = hosting.engines.find(({ name }) => name === entry?.engine);
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
        ...(older !== undefined && { older }),
      }),
      isLive: before === "",
    };
  });

  for (const [action, isPaused] of [
    ["pause", true],
    ["resume", false],
  ] as const) {
    pages.post(`${address}/${action}`, "Editor", async (visit) => {
      const webhook = await required(visit);
      await setWebhookPaused(database, visit.caller.project, webhook.name, isPaused);
      await wakeSenders(database);
      return own(webhook);
    });
  }
  pages.post(`${address}/again`, "Editor", async (visit) => {
    const webhook = await required(visit);
    const id = visit.form.get("id") ?? "";
    const isId = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id);
    if (!isId || !(await sendAgain(database, visit.caller.project, id))) {
      throw new Problem("not-found", "There is no such delivery any more.");
    }
    return own(webhook);
  });
}

/** What the page of a version shows of its webhooks. @throws DatabaseError */
export async function readWebhookList(
  { database, hosting }: Platform,
  entry: SubgraphVersion,
): Promise<Html | undefined> {
  const engine = hosting.engines.find(({ name }) => name === entry.engine);
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
