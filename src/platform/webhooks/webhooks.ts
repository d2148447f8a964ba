import { present } from "../../base/invariant.js";
import { bytesText } from "../../store/database/bytea.js";
import {
  boolean,
  cell,
  columns,
  integer,
  optional,
  type RowOf,
  text,
  time,
} from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import type { VersionName } from "../subgraphs/versions.js";

/** The retry settings of a webhook. */
export const retryRule = {
  /** The most retries of an event. */
  retries: integer,
  /** Seconds before the first retry; later waits are longer. */
  retryInterval: integer,
  /** Seconds after which an attempt times out. */
  timeout: integer,
};
const webhookRow = columns({
  id: text,
  project: text,
  name: text,
  subgraph: text,
  version: text,
  /** The name of the entity's table. */
  entity: text,
  url: text,
  ...retryRule,
  /** Whether the existing entities still have to be sent first. */
  owesStart: boolean,
  isPaused: boolean,
  /** Failed attempts in a row. */
  failures: integer,
  /** While its receiver is down, the time of the next attempt. */
  restsUntil: optional(time),
  createdAt: time,
});

/** A webhook, without its secret. */
export type Webhook = RowOf<typeof webhookRow>;

/** Whether a webhook waits because its receiver is down. It is down until it accepts an event. */
export function isDown({ isPaused, restsUntil }: Pick<Webhook, "isPaused" | "restsUntil">): boolean {
  return restsUntil !== undefined && !isPaused;
}

/** The retry settings of a webhook. */
export type RetryRule = Pick<Webhook, keyof typeof retryRule>;

/** A webhook to add. */
export interface NewWebhook extends Omit<Webhook, "isPaused" | "failures" | "restsUntil" | "createdAt"> {
  /** Encrypted. */
  readonly secret: Uint8Array;
  /** A UUID of the server that starts it; for a while, no other server does. */
  readonly holder: string;
}

/**
 * Adds a webhook.
 * @returns whether it was added: not when the project already has a webhook of this name
 * @throws DatabaseError also when the version does not exist
 */
export async function addWebhook(sql: Sql, webhook: NewWebhook): Promise<boolean> {
  const { retries, retryInterval, timeout } = webhook;
  const rows = await sql.query(
    SQL`insert into graphloom.webhooks (id, project, name, subgraph, version, entity, url, secret, retries,
        retry_interval, timeout, owes_start, holder, held_until)
      values ($1::text, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bytea, $9::integer,
        $10::integer, $11::integer, $12::boolean, $13::uuid, now() + interval '1 minute')
      on conflict (project, name) do nothing returning id`,
    [
      webhook.id,
      webhook.project,
      webhook.name,
      webhook.subgraph,
      webhook.version,
      webhook.entity,
      webhook.url,
      bytesText(webhook.secret),
      ...[retries, retryInterval, timeout, webhook.owesStart].map(String),
      webhook.holder,
    ],
  );
  return rows.length > 0;
}

/**
 * Finds a webhook by its name.
 * @param isLocked whether others must wait to change it until the transaction ends
 * @throws DatabaseError
 */
export async function findWebhook(
  sql: Sql,
  project: string,
  name: string,
  { isLocked = false }: { readonly isLocked?: boolean } = {},
): Promise<Webhook | undefined> {
  const [row] = await sql.query(
    SQL`select ${webhookRow.list} from graphloom.webhooks where project = $1::text and name = $2::text
      ${isLocked ? SQL`for no key update` : SQL``}`,
    [project, name],
  );
  return row && webhookRow.read(row);
}

/** The webhooks of a project, oldest first. @throws DatabaseError */
export async function listWebhooks(sql: Sql, project: string): Promise<readonly Webhook[]> {
  const rows = await sql.query(
    SQL`select ${webhookRow.list} from graphloom.webhooks where project = $1::text order by created_at, id`,
    [project],
  );
  return rows.map(webhookRow.read);
}

/** The webhooks of a version, oldest first. @throws DatabaseError */
export async function listWebhooksOf(
  sql: Sql,
  { project, name, version }: VersionName,
): Promise<readonly Webhook[]> {
  const rows = await sql.query(
    SQL`select ${webhookRow.list} from graphloom.webhooks
      where project = $1::text and subgraph = $2::text and version = $3::text order by created_at, id`,
    [project, name, version],
  );
  return rows.map(webhookRow.read);
}

/** The names of the webhooks of a version, which cannot be deleted while it has any. @throws DatabaseError */
export async function webhooksOf(
  sql: Sql,
  { project, name, version }: VersionName,
): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select name from graphloom.webhooks where project = $1::text and subgraph = $2::text and version = $3::text
      order by name collate "C"`,
    [project, name, version],
  );
  return rows.map((row) => cell(row, "name"));
}

/**
 * Pauses or resumes a webhook. @returns the changed webhook; `undefined` if it does not exist @throws DatabaseError
 */
export async function setWebhookPaused(
  sql: Sql,
  project: string,
  name: string,
  isPaused: boolean,
): Promise<Webhook | undefined> {
  // A user who resumes it knows that the receiver works again.
  const [row] = await sql.query(
    SQL`update graphloom.webhooks set is_paused = $3::boolean, failures = 0, rests_until = null
      where project = $1::text and name = $2::text returning ${webhookRow.list}`,
    [project, name, String(isPaused)],
  );
  return row && webhookRow.read(row);
}

/** The changeable settings of a webhook; absent ones stay. */
export interface WebhookChange extends Partial<RetryRule> {
  readonly url?: string;
  /** Encrypted. */
  readonly secret?: Uint8Array;
}

/** Changes a webhook. With a new URL, its receiver counts as up. @throws DatabaseError */
export async function updateWebhook(
  sql: Sql,
  id: string,
  { url, secret, retries, retryInterval, timeout }: WebhookChange,
): Promise<Webhook> {
  const [row] = await sql.query(
    SQL`update graphloom.webhooks set url = coalesce($2::text, url), retries = coalesce($3::integer, retries),
        retry_interval = coalesce($4::integer, retry_interval), timeout = coalesce($5::integer, timeout),
        secret = coalesce($6::bytea, secret),
        failures = case when $2::text is null then failures else 0 end,
        rests_until = case when $2::text is null then rests_until end
      where id = $1::text returning ${webhookRow.list}`,
    [
      id,
      url ?? null,
      ...[retries, retryInterval, timeout].map((value) => value?.toString() ?? null),
      secret ? bytesText(secret) : null,
    ],
  );
  return webhookRow.read(present(row, "the webhook was found in the same transaction"));
}

/** Deletes a webhook with its events. @returns whether it existed @throws DatabaseError */
export async function deleteWebhook(sql: Sql, project: string, name: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`delete from graphloom.webhooks where project = $1::text and name = $2::text returning id`,
    [project, name],
  );
  return rows.length > 0;
}
