import type { Database } from "../../store/database/database.js";
import { countMails, holdMails, noteMail, type SentMail } from "./mails.js";
import { resetMinutes } from "./password-resets.js";

/** How many messages to one address: what was sent there is still good when the next would be too many. */
const toOneAddress = {
  invitation: { messages: 3, minutes: 24 * 60 },
  password: { messages: 3, minutes: resetMinutes },
} as const;
/** Messages of one day. */
const ofOneSender = 100;
const ofOneProject = 200;
/** The same of a project that was made a few days ago, by whoever may sign up. */
const ofNewProject = 20;
const newDays = 7;

/**
 * Counts a message that is about to be sent, unless it is one too many.
 * @returns whether it may be sent
 * @throws DatabaseError
 */
export async function mayMail(database: Database, mail: SentMail): Promise<boolean> {
  const { messages, minutes } = toOneAddress[mail.kind];
  return database.transaction(async (sql) => {
    await holdMails(sql);
    const counts = await countMails(sql, mail, minutes);
    const most = counts.projectDays < newDays ? ofNewProject : ofOneProject;
    const isFit =
      counts.recipient < messages &&
      counts.sender < ofOneSender &&
      (mail.project === undefined || counts.project < most);
    if (isFit) await noteMail(sql, mail);
    return isFit;
  });
}
