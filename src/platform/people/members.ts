import { columns, computed, text, time } from "../../store/database/columns.js";
import { SQL, type Sql } from "../../store/database/database.js";
import { type Role, role } from "./api-keys.js";
import type { Project } from "./projects.js";
import type { User } from "./users.js";

/** A project with a person's role in it. */
export interface Membership extends Project {
  readonly role: Role;
}

/** A member of a project. */
export interface Member extends User {
  readonly role: Role;
  readonly since: Date;
}

const membershipRow = columns({ id: text, name: text, role: computed(SQL`m.role`, role) }, "p");
const memberRow = columns(
  {
    id: text,
    email: text,
    name: text,
    role: computed(SQL`m.role`, role),
    since: computed(SQL`m.since`, time),
  },
  "u",
);

/** The projects of a person, in the order in which they joined. @throws DatabaseError */
export async function projectsOf(sql: Sql, user: string): Promise<readonly Membership[]> {
  const rows = await sql.query(
    SQL`select ${membershipRow.list} from graphloom.members m join graphloom.projects p on p.id = m.project
      where m.member = $1::text order by m.since, p.id`,
    [user],
    { isFixed: true },
  );
  return rows.map(membershipRow.read);
}

/** The members of a project, in the order in which they joined. @throws DatabaseError */
export async function listMembers(sql: Sql, project: string): Promise<readonly Member[]> {
  const rows = await sql.query(
    SQL`select ${memberRow.list}
      from graphloom.members m join graphloom.users u on u.id = m.member
      where m.project = $1::text order by m.since, u.id`,
    [project],
  );
  return rows.map(memberRow.read);
}

/** Adds a member; an existing member keeps their role. @returns whether the member is new @throws DatabaseError */
export async function addMember(sql: Sql, project: string, user: string, role: Role): Promise<boolean> {
  const rows = await sql.query(
    SQL`insert into graphloom.members (project, member, role) values ($1::text, $2::text, $3::text)
      on conflict (project, member) do nothing returning member`,
    [project, user, role],
  );
  return rows.length > 0;
}

/** Changes the role of a member. @throws DatabaseError */
export async function setMemberRole(sql: Sql, project: string, user: string, role: Role): Promise<void> {
  await sql.query(
    SQL`update graphloom.members set role = $3::text where project = $1::text and member = $2::text`,
    [project, user, role],
  );
}

/** Ends a membership. @throws DatabaseError */
export async function removeMember(sql: Sql, project: string, user: string): Promise<void> {
  await sql.query(SQL`delete from graphloom.members where project = $1::text and member = $2::text`, [
    project,
    user,
  ]);
}
