import { bytesText } from "../../store/database/bytea.js";
import { type Row, SQL, type Sql } from "../../store/database/database.js";
import type { VersionName } from "../subgraphs/versions.js";

/** How deliveries of a webhook are tried. */
export interface RetryRule {
  /** How often an event is tried again, at the most. */
  readonly retries: number;
  /** Seconds until the first time; later ones take longer. */
  readonly retryInterval: number;
  /** Seconds that one attempt may take. */
  readonly timeout: number;
}

/** A webhook to be added. */
export interface NewWebhook extends RetryRule {
  readonly id: string;
  readonly project: string;
  readonly name: string;
  readonly subgraph: string;
  readonly version: string;
  /** The name of the entity's table. */
  readonly entity: string;
  readonly url: string;
  /** Encrypted. */
  readonly secret: Uint8Array;
  /** Whether what is there already is sent first. */
  readonly owesStart: boolean;
  /** A UUID of who has it begin: nobody else does for a while. */
  readonly holder: string;
}

/** A webhook, without its secret. */
export interface Webhook extends Omit<NewWebhook, "secret" | "holder"> {
  readonly isPaused: boolean;
  /** Attempts that failed one after the other. */
  readonly failures: number;
  /** While its receiver is down, nothing is sent before. */
  readonly restsUntil?: Date;
  readonly createdAt: Date;
}

const columns = SQL`id, project, name, subgraph, version, entity, url, retries, retry_interval, timeout, is_paused,
  owes_start, failures, extract(epoch from rests_until) * 1000 as rests, extract(epoch from created_at) * 1000 as created`;

/**
 * Adds a webhook.
 * @returns whether it was added: not when the project has one of that name
 * @throws DatabaseError also when there is no such version
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
      ...[webhook.id, webhook.project, webhook.name, webhook.subgraph, webhook.version, webhook.entity],
      ...[webhook.url, bytesText(webhook.secret)],
      ...[retries, retryInterval, timeout, webhook.owesStart].map(String),
      webhook.holder,
    ],
  );
  return rows.length > 0;
}

/** A webhook by its name. @throws DatabaseError */
export async function findWebhook(sql: Sql, project: string, name: string): Promise<Webhook | undefined> {
  const [row] = await sql.query(
    SQL`select ${columns} from graphloom.webhooks where project = $1::text and name = $2::text`,
    [project, name],
  );
  return row && webhookOf(row);
}

/** The webhooks of a project, oldest first. @throws DatabaseError */
export async function listWebhooks(sql: Sql, project: string): Promise<readonly Webhook[]> {
  const rows = await sql.query(
    SQL`select ${columns} from graphloom.webhooks where project = $1::text order by created_at, id`,
    [project],
  );
  return rows.map(webhookOf);
}

/** The names of the webhooks of a version; while there are any, it cannot be deleted. @throws DatabaseError */
export async function webhooksOf(
  sql: Sql,
  { project, name, version }: VersionName,
): Promise<readonly string[]> {
  const rows = await sql.query(
    SQL`select name from graphloom.webhooks where project = $1::text and subgraph = $2::text and version = $3::text
      order by name collate "C"`,
    [project, name, version],
  );
  return rows.map(({ name: own }) => own ?? "");
}

/** Has a webhook send nothing for a while, or go on. @returns as it is now; nothing when there is none @throws DatabaseError */
export async function setWebhookPaused(
  sql: Sql,
  project: string,
  name: string,
  isPaused: boolean,
): Promise<Webhook | undefined> {
  // Who has it go on knows that the receiver is there again.
  const [row] = await sql.query(
    SQL`update graphloom.webhooks set is_paused = $3::boolean, failures = 0, rests_until = null
      where project = $1::text and name = $2::text returning ${columns}`,
    [project, name, String(isPaused)],
  );
  return row && webhookOf(row);
}

/** Deletes a webhook with its events. @returns whether there was one @throws DatabaseError */
export async function deleteWebhook(sql: Sql, project: string, name: string): Promise<boolean> {
  const rows = await sql.query(
    SQL`delete from graphloom.webhooks where project = $1::text and name = $2::text returning id`,
    [project, name],
  );
  return rows.length > 0;
}

function webhookOf(row: Row): Webhook {
  return {
    id: row.id ?? "",
    project: row.project ?? "",
    name: row.name ?? "",
    subgraph: row.subgraph ?? "",
    version: row.version ?? "",
    entity: row.entity ?? "",
    url: row.url ?? "",
    retries: Number(row.retries),
    retryInterval: Number(row.retry_interval),
    timeout: Number(row.timeout),
    owesStart: row.owes_start === "t",
    isPaused: row.is_paused === "t",
    failures: Number(row.failures),
    ...(row.rests != null && { restsUntil: new Date(Number(row.rests)) }),
    createdAt: new Date(Number(row.created)),
  };
}
