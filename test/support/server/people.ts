import { setTimeout as sleep } from "node:timers/promises";
import type { Role } from "../../../src/platform/people/api-keys.js";
import { addMember } from "../../../src/platform/people/members.js";
import { beginSession } from "../../../src/platform/people/sign-in/sessions.js";
import { addUser, type User } from "../../../src/platform/people/users.js";
import { randomId } from "../../../src/platform/sealing/hashed.js";
import type { Database } from "../../../src/store/database/database.js";

/** A person with an account, who is logged in on the command line. */
export interface TestPerson extends User {
  /** `glu_…` */
  readonly token: string;
}

/** Makes an account. @param memberships roles by existing project, each a moment later than the one before */
export async function addPerson(
  database: Database,
  email: string,
  memberships: Readonly<Record<string, Role>> = {},
): Promise<TestPerson> {
  const user = { id: randomId("user"), email, name: email.split("@")[0] ?? "" };
  await addUser(database, user, {});
  for (const [project, role] of Object.entries(memberships)) {
    await addMember(database, project, user.id, role);
    await nextMillisecond();
  }
  const { token } = await beginSession(database, user.id, "token");
  return { ...user, token };
}

/** Waits until the millisecond clock of PGlite has moved, so that a later row has a later time. */
async function nextMillisecond(): Promise<void> {
  for (const then = Date.now(); Date.now() <= then; ) await sleep(1);
}
