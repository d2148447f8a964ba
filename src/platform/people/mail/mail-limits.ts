import type { Database } from "../../../store/database/database.js";
import { resetMinutes } from "../passwords/password-resets.js";
import { countMails, holdMails, noteMail, type SentMail } from "./mails.js";

/** Maximum messages to one address. When the limit is reached, the links that were sent are still valid. */
const toOneAddress = {
  invitation: { messages: 3, minutes: 24 * 60 },
  password: { messages: 3, minutes: resetMinutes },
} as const;
/** Maximum messages a day. */
const ofOneSender = 100;
const ofOneProject = 200;
/** A lower limit for new projects, which anyone who may sign up can create. */
const ofNewProject = 20;
const newDays = 7;

/**
 * Counts a message before it is sent, unless it would exceed a limit.
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
