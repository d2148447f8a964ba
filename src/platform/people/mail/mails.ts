import { SQL, type Sql } from "../../../store/database/database.js";

/** A message that the server sent on behalf of a user or a key. */
export interface SentMail {
  readonly kind: "invitation" | "password";
  /** Email address, in lower case. */
  readonly recipient: string;
  /** Absent for messages outside projects. */
  readonly project?: string;
  /** Id of the user or the key. */
  readonly sender?: string;
}

/** The numbers of recent messages. */
export interface MailCounts {
  /** Of the same kind to the recipient, within the given minutes. */
  readonly recipient: number;
  /** Of the project, within a day. */
  readonly project: number;
  /** Of the sender, within a day. */
  readonly sender: number;
  /** Days since the project was created. */
  readonly projectDays: number;
}

/** The id of our advisory lock in the database. */
const lock = SQL`7236540196`;

/**
 * Makes other transactions that count messages wait until this one ends.
 * @throws DatabaseError
 */
export async function holdMails(sql: Sql): Promise<void> {
  await sql.query(SQL`select pg_advisory_xact_lock(${lock})`);
}

/** Counts the recent messages that a new message would add to. @throws DatabaseError */
export async function countMails(sql: Sql, mail: SentMail, minutes: number): Promise<MailCounts> {
  const { kind, recipient, project = null, sender = null } = mail;
  const [row] = await sql.query(
    SQL`select
      (select count(*) from graphloom.mails where recipient = $1::text and kind = $2::text
        and sent_at > now() - make_interval(mins => $3::int)) as to_recipient,
      (select count(*) from graphloom.mails where project = $4::text and sent_at > now() - interval '1 day') as of_project,
      (select count(*) from graphloom.mails where sender = $5::text and sent_at > now() - interval '1 day') as of_sender,
      (select extract(epoch from now() - created_at) / 86400 from graphloom.projects where id = $4::text) as days`,
    [recipient, kind, String(minutes), project, sender],
  );
  return {
    recipient: Number(row?.to_recipient),
    project: Number(row?.of_project),
    sender: Number(row?.of_sender),
    projectDays: Number(row?.days ?? 0),
  };
}

/** Records a message, and deletes records older than a day. @throws DatabaseError */
export async function noteMail(sql: Sql, { kind, recipient, project, sender }: SentMail): Promise<void> {
  await sql.query(SQL`delete from graphloom.mails where sent_at < now() - interval '1 day'`);
  await sql.query(
    SQL`insert into graphloom.mails (kind, recipient, project, sender)
      values ($1::text, $2::text, $3::text, $4::text)`,
    [kind, recipient, project ?? null, sender ?? null],
  );
}
