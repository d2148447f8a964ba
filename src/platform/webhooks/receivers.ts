import { columns, integer, nullable, type RowOf, text, time } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { arrayText } from "../../store/database/sql-array.js";

const attemptRow = columns({
  webhook: text,
  /** Null if the receiver did not answer. */
  answerStatus: nullable(integer),
  /** Null after a delivery. */
  error: nullable(text),
  attemptedAt: time,
  /** The time of the last delivery; null if no kept event was delivered. */
  deliveredAt: nullable(time),
});

/** The last attempt to reach the receiver of a webhook. */
export type LastAttempt = RowOf<typeof attemptRow>;

/** The last attempts of webhooks, by webhook. @param webhooks their ids @throws DatabaseError */
export async function lastAttempts(
  sql: Pick<Sql, "query">,
  webhooks: readonly string[],
): Promise<ReadonlyMap<string, LastAttempt>> {
  if (webhooks.length === 0) return new Map();
  const rows = await sql.query(
    SQL`select ${attemptRow.list} from (
        select distinct on (webhook) webhook, answer_status, error, attempted_at,
            max(attempted_at) filter (where error is null) over (partition by webhook) as delivered_at
          from graphloom.webhook_events where webhook = any($1::text[]) and attempted_at is not null
          order by webhook, attempted_at desc) last`,
    [arrayText(webhooks)],
  );
  return new Map(rows.map(attemptRow.read).map((one) => [one.webhook, one]));
}
