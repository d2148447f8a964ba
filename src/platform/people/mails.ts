import { SQL, type Sql } from "../../store/database/database.js";

/** A message that somebody had the server send. */
export interface SentMail {
  readonly kind: "invitation" | "password";
  /** Email address, in small letters. */
  readonly recipient: string;
  /** Nothing for what is of no project. */
  readonly project?: string;
  /** Id of the user or the key. */
  readonly sender?: string;
}

/** How many messages were sent lately. */
export interface MailCounts {
  /** Of the kind to the recipient, within so many minutes. */
  readonly recipient: number;
  /** Of the project, within a day. */
  readonly project: number;
  /** Of the sender, within a day. */
  readonly sender: number;
  /** Days since the project was made. */
  readonly projectDays: number;
}

/** Tells our lock from those of others in the same database. */
const lock = SQL`7236540196`;

/** Has others who count or note messages wait for the end of the transaction. @throws DatabaseError */
export async function holdMails(sql: Sql): Promise<void> {
  await sql.query(SQL`select pg_advisory_xact_lock(${lock})`);
}

/** Counts what was sent lately that a message would add to. @throws DatabaseError */
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

/** Notes that a message is sent; those of other days are forgotten. @throws DatabaseError */
export async function noteMail(sql: Sql, { kind, recipient, project, sender }: SentMail): Promise<void> {
  await sql.query(SQL`delete from graphloom.mails where sent_at < now() - interval '1 day'`);
  await sql.query(
    SQL`insert into graphloom.mails (kind, recipient, project, sender)
      values ($1::text, $2::text, $3::text, $4::text)`,
    [kind, recipient, project ?? null, sender ?? null],
  );
}
