import { randomUUID } from "node:crypto";
import { snakeCase } from "../../base/text/snake-case.js";
import type { HostedStorage } from "../../hosting/engine.js";
import { DatabaseError } from "../../store/database/database.js";
import { type Caller, requireRole } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { requireRoom } from "../quotas/quotas.js";
import { seal } from "../sealing/sealed.js";
import { requireEngine } from "../subgraphs/find-subgraph.js";
import { plannedEntities } from "../subgraphs/plan-entities.js";
import { findVersion, type SubgraphVersion } from "../subgraphs/versions.js";
import { checkReceiver } from "./address-policy.js";
import { beginWebhook } from "./begin.js";
import { letGo } from "./feeding.js";
import { newWebhookId, newWebhookSecret } from "./new-ids.js";
import { wakeSenders } from "./outbox.js";
import type { AskedWebhook } from "./read-new-webhook.js";
import { addWebhook, type NewWebhook } from "./webhooks.js";

/** A new webhook, with its secret, which is shown only once. */
export interface CreatedWebhook {
  readonly id: string;
  readonly name: string;
  readonly secret: string;
}

/** Creates a webhook, which sends the changes from now on. @throws Problem, DatabaseError */
export async function createWebhook(
  platform: Platform,
  caller: Caller,
  asked: AskedWebhook,
): Promise<CreatedWebhook> {
  requireRole(caller, "Editor");
  const { project } = caller;
  const { database, world, secretKey } = platform;
  checkReceiver(platform.settings, asked.url);
  const version = await versionAsked(platform, project, asked);
  const { feedless } = requireEngine(platform.hosting, version);
  if (feedless !== undefined) {
    throw new Problem(
      "unprocessable",
      `${fullName(asked)} ${feedless}. Deploy it to this server's own engine, which requires a node of its network (serve --rpc).`,
    );
  }
  const storage = await storageOf(platform, version);
  const entity = entityAsked(asked, await tablesOf(platform, version, storage));
  const { fromStart, secret = newWebhookSecret(world.now()), ...others } = asked;
  const rest = { ...others, entity };
  const id = newWebhookId();
  const holder = randomUUID();
  const sealed = seal(secretKey, secret, id);
  // Before the first block is indexed, every entity is newer than the webhook.
  const owesStart = fromStart || !storage;
  await add(platform, caller, { ...rest, id, project, secret: sealed, owesStart, holder });
  if (storage) await beginWebhook(database, storage, { id, entity }, holder);
  else await letGo(database, id, holder);
  await wakeSenders(database);
  return { id, name: asked.name, secret };
}

/**
 * The storage of a version's entities; `undefined` before the first block.
 * @throws Problem when its engine is unavailable
 */
export async function storageOf(
  platform: Platform,
  version: Pick<SubgraphVersion, "engine" | "deployment">,
): Promise<HostedStorage | undefined> {
  return requireEngine(platform.hosting, version).storage(version.deployment);
}

async function versionAsked(
  { database }: Platform,
  project: string,
  asked: AskedWebhook,
): Promise<SubgraphVersion> {
  const { subgraph: name, version } = asked;
  const found = await findVersion(database, { project, name, version });
  if (!found) throw noVersion(asked);
  if (found.target === undefined) return found;
  const message = `${version} is a tag, which can move; use the version it points to: ${found.target}`;
  throw new Problem("bad-request", "A webhook belongs to a version, not to a tag.", {
    errors: [{ field: "subgraph_version", message }],
  });
}

/** The names of a version's tables, including tables that do not exist yet. */
async function tablesOf(
  { database }: Platform,
  { deployment }: SubgraphVersion,
  storage: HostedStorage | undefined,
): Promise<readonly string[]> {
  if (storage) return storage.layout.tables.map(({ name }) => name);
  return (await plannedEntities(database, deployment)).map(({ name }) => name);
}

/** The name of an entity's table; accepts the name in the schema too. @throws Problem when there is none */
function entityAsked({ entity }: AskedWebhook, names: readonly string[]): string {
  const table = snakeCase(entity);
  const found = names.find((name) => name === entity) ?? names.find((name) => name === table);
  if (found !== undefined) return found;
  const message = `the subgraph has no entity ${entity}; it has ${names.join(", ") || "no entities"}`;
  throw new Problem("bad-request", "The subgraph does not have the entity of the webhook.", {
    errors: [{ field: "entity", message }],
  });
}

async function add({ database, settings }: Platform, caller: Caller, webhook: NewWebhook): Promise<void> {
  let isAdded: boolean;
  try {
    isAdded = await database.transaction(async (sql) => {
      await requireRoom(sql, settings, "webhooks", webhook.project);
      if (!(await addWebhook(sql, webhook))) return false;
      await noteChange(sql, caller, "webhook.create", webhook.name);
      return true;
    });
  } catch (error) {
    // The version was deleted a moment ago.
    if (error instanceof DatabaseError && error.code === "23503") throw noVersion(webhook);
    throw error;
  }
  if (!isAdded) {
    throw new Problem(
      "conflict",
      `The project already has a webhook ${webhook.name}. Delete it, or choose another name.`,
      { errors: [{ field: "name", message: "is taken" }] },
    );
  }
}

function noVersion(asked: Pick<AskedWebhook, "subgraph" | "version">): Problem {
  return new Problem("subgraph-not-found", `The project has no ${fullName(asked)}.`);
}

function fullName({ subgraph, version }: Pick<AskedWebhook, "subgraph" | "version">): string {
  return `${subgraph}/${version}`;
}
