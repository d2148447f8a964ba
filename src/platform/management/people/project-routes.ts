import type { FastifyInstance } from "fastify";
import { present } from "../../../base/invariant.js";
import { addExtension } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { dataOf, objectOf, roleSchema, textOf } from "../../http/extension.js";
import { callerOf, identityOf } from "../../http/roles.js";
import { leaveProject } from "../../people/manage-members.js";
import { beginProject, changeProjectName } from "../../people/manage-projects.js";
import { projectsOf } from "../../people/members.js";
import { longestName, readName } from "../../people/names.js";
import { findProject } from "../../people/projects.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import {
  projectSchema,
  projectsSchema,
  revokedSchema,
  shownProject,
  shownUser,
  userSchema,
} from "./shown.js";

const naming = objectOf({ name: { type: "string", minLength: 1, maxLength: longestName } });
const idSchema = textOf("`project_…`");

/**
 * The routes of projects, below `/api/v1`:
 *
 * - `GET /me` → 200 `{data: {user?: {id, email, name}, key?: {id, name}, project: {id, name}, role}}`
 * - `GET /projects` → 200 `{data: [{id, name, role}]}`, the one that one was in first before all others
 * - `POST /projects` `{name}` → 201 `{data: {id, name, role: "Owner"}}`; 403 for a key
 * - `PATCH /projects/{id}` `{name}` → 200 `{data: {id, name, role}}`
 * - `POST /projects/{id}/leave` → 200 `{data: {id, revoked_keys}}`; 403 for a key, 422 for the only Owner
 */
export function projectRoutes(app: FastifyInstance, platform: Platform): void {
  const { database } = platform;
  addExtension(
    app,
    {
      method: "GET",
      path: "/me",
      role: "Viewer",
      summary: "Who asks, and about which project",
      answer: dataOf(
        objectOf({
          "user?": userSchema,
          "key?": objectOf({ id: textOf("`key_…`"), name: textOf() }),
          project: objectOf({ id: idSchema, name: textOf() }),
          role: roleSchema,
        }),
      ),
    },
    async ({ request }) => {
      const { project: id, role } = callerOf(request);
      const identity = identityOf(request);
      const project = present(await findProject(database, id), "the project was there a moment ago");
      const who =
        identity.kind === "user"
          ? { user: shownUser(identity.session.user) }
          : { key: { id: identity.key.id, name: identity.key.name } };
      return { data: { ...who, project: { id: project.id, name: project.name }, role } };
    },
  );

  addExtension(
    app,
    {
      method: "GET",
      path: "/projects",
      role: "signed-in",
      summary: "The projects that one is in",
      answer: dataOf(projectsSchema),
    },
    async ({ request }) => {
      const identity = identityOf(request);
      if (identity.kind === "user") {
        return { data: (await projectsOf(database, identity.session.user.id)).map(shownProject) };
      }
      const { project, role } = identity.key;
      const found = await findProject(database, project);
      return { data: found ? [{ ...found, role }] : [] };
    },
  );

  addExtension(
    app,
    {
      method: "POST",
      path: "/projects",
      role: "signed-in",
      summary: "Make a project, and be its Owner",
      body: naming,
      answer: dataOf(projectSchema),
      status: 201,
    },
    async ({ body, request }) => {
      const identity = identityOf(request);
      if (identity.kind === "key") {
        throw new Problem(
          "forbidden",
          "A key belongs to one project and cannot make another. Log in with an account: graphloom login.",
        );
      }
      const made = await beginProject(database, identity.session.user, nameIn(body), request.ip);
      return { data: { ...made, role: "Owner" } };
    },
  );

  addExtension(
    app,
    {
      method: "PATCH",
      path: "/projects/:id",
      role: "Editor",
      isOfPath: true,
      summary: "Give a project another name",
      body: naming,
      answer: dataOf(projectSchema),
    },
    async ({ body, request }) => {
      const doer = doerOf(request);
      const changed = await changeProjectName(database, doer, nameIn(body));
      return { data: { ...changed, role: doer.caller.role } };
    },
  );

  addExtension(
    app,
    {
      method: "POST",
      path: "/projects/:id/leave",
      role: "Viewer",
      isOfPath: true,
      summary: "Leave a project; the keys that one has made are revoked",
      answer: dataOf(objectOf({ id: idSchema, revoked_keys: revokedSchema })),
    },
    async ({ request }) => {
      const doer = doerOf(request);
      const { revokedKeys } = await leaveProject(database, doer);
      return { data: { id: doer.caller.project, revoked_keys: revokedKeys } };
    },
  );
}

/** @throws Problem */
function nameIn({ name: given }: { readonly name: string }): string {
  const name = readName(given);
  if (name !== undefined) return name;
  const errors = [{ field: "name", message: "must not be blank, nor hold control characters" }];
  throw new Problem("bad-request", "Correct in the body: name.", { errors });
}
