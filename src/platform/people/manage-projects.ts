import type { Database } from "../../store/database/database.js";
import { randomId } from "../sealing/hashed.js";
import { noteAct } from "./audit.js";
import { type Doer, noteDeed } from "./doer.js";
import { addMember } from "./members.js";
import { createProject, type Project, renameProject } from "./projects.js";
import type { User } from "./users.js";

/** Creates a project with a person as its Owner. @param name without surrounding blanks @throws DatabaseError */
export async function beginProject(
  database: Database,
  { id: user, email }: User,
  name: string,
  address: string,
): Promise<Project> {
  const id = randomId("project");
  await database.transaction(async (sql) => {
    await createProject(sql, { id, name });
    await addMember(sql, id, user, "Owner");
    const actor = { id: user, name: email };
    await noteAct(sql, { project: id, actor, action: "project.create", subject: name, address });
  });
  return { id, name };
}

/** Renames the project. @param name without surrounding blanks @throws DatabaseError */
export async function changeProjectName(database: Database, doer: Doer, name: string): Promise<Project> {
  const project = { id: doer.caller.project, name };
  await database.transaction(async (sql) => {
    await renameProject(sql, project);
    await noteDeed(sql, doer, "project.rename", name);
  });
  return project;
}
