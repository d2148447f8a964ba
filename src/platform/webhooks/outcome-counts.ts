import { bigInteger, columns, type RowOf, text, time } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";

const hourRow = columns({
  webhook: text,
  /** The beginning of the hour. */
  hour: time,
  delivered: bigInteger,
  /** Failed attempts that were followed by another one. */
  retried: bigInteger,
  /** Failed attempts that were the last. */
  failed: bigInteger,
});

/** How many attempts of a webhook ended how within an hour. */
export type HourOfOutcomes = RowOf<typeof hourRow>;

/** The days for which the counts are kept. */
const keptDays = 30;

/** The hours of the last day in which webhooks were sent, oldest first. @param webhooks their ids @throws DatabaseError */
export async function lastDay(sql: Sql, webhooks: readonly string[]): Promise<readonly HourOfOutcomes[]> {
  if (webhooks.length === 0) return [];
  const rows = await sql.query(
    SQL`select ${hourRow.list} from graphloom.webhook_outcomes
      where webhook = any($1::text[]) and hour > now() - interval '24 hours' order by hour`,
    [arrayText(webhooks)],
  );
  return rows.map(hourRow.read);
}

/** How many attempts of webhooks failed in the last day, most first. Webhooks without any are left out. @throws DatabaseError */
export async function failedAttempts(
  sql: Sql,
  webhooks: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  if (webhooks.length === 0) return new Map();
  const rows = await sql.query(
    SQL`select webhook, sum(retried + failed)::text as n from graphloom.webhook_outcomes
      where webhook = any($1::text[]) and hour > now() - interval '24 hours'
      group by webhook having sum(retried + failed) > 0 order by sum(retried + failed) desc, webhook`,
    [arrayText(webhooks)],
  );
  return new Map(rows.map(({ webhook, n }) => [webhook ?? "", Number(n)]));
}

/** Deletes counts that are no longer kept. @throws DatabaseError */
export async function trimOutcomes(sql: Sql, webhook: string): Promise<void> {
  await sql.query(
    SQL`delete from graphloom.webhook_outcomes
      where webhook = $1::text and hour < now() - $2::integer * interval '1 day'`,
    [webhook, String(keptDays)],
  );
}
