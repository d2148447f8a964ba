import type { Sql } from "../../store/database/database.js";
import type { Caller } from "./access.js";
import { noteAct } from "./audit.js";

/** A caller with their network address. */
export interface Doer {
  readonly caller: Caller;
  /** Network address. */
  readonly address: string;
}

/** Records an action in the caller's project, in the transaction of the action. @throws DatabaseError */
export async function noteDeed(
  sql: Sql,
  { caller, address }: Doer,
  action: string,
  subject: string,
): Promise<void> {
  await noteChange(sql, { ...caller, address }, action, subject);
}

/** Records a change by a caller in their project, in the transaction of the change. @throws DatabaseError */
export async function noteChange(
  sql: Sql,
  { id, name, project, address }: Caller,
  action: string,
  subject: string,
): Promise<void> {
  await noteAct(sql, { project, actor: { id, name }, action, subject, address });
}
