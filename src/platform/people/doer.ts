import type { Sql } from "../../store/database/database.js";
import type { Caller } from "./access.js";
import { noteAct } from "./audit.js";

/** Who does something, and from where. */
export interface Doer {
  readonly caller: Caller;
  /** Of the network. */
  readonly address: string;
}

/** Notes what somebody does in the project that they ask about, in the transaction that does it. @throws DatabaseError */
export async function noteDeed(
  sql: Sql,
  { caller: { id, name, project }, address }: Doer,
  action: string,
  subject: string,
): Promise<void> {
  await noteAct(sql, { project, actor: { id, name }, action, subject, address });
}
