import type { FastifyInstance } from "fastify";
import {
  accountOperations,
  projectIdSchema,
  roleSchema,
  userSchema,
} from "../../../api/account-operations.js";
import { dataOf, type Extension, objectOf, textSchema } from "../../../api/extension.js";
import { present } from "../../../base/invariant.js";
import { addExtension } from "../../http/add-extension.js";
import { doerOf } from "../../http/doer-of.js";
import { callerOf, identityOf } from "../../http/roles.js";
import { leaveProject } from "../../people/manage-members.js";
import { beginProject, changeProjectName } from "../../people/manage-projects.js";
import { readName } from "../../people/names.js";
import { findProject } from "../../people/projects.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import { shownProject, shownUser } from "./shown.js";

/** The route that describes the sender of a request. */
const readOwn: Extension = {
  method: "GET",
  path: "/me",
  summary: "Returns who sends the request, and for which project.",
  answer: dataOf(
    objectOf({
      "user?": userSchema,
      "key?": objectOf({ id: textSchema("`key_…`"), name: textSchema() }),
      project: objectOf({ id: projectIdSchema, name: textSchema() }),
      role: roleSchema,
    }),
  ),
};

/** The routes of projects. */
export function projectRoutes(app: FastifyInstance, platform: Platform): void {
  const { database } = platform;
  const { listProjects, createProject, updateProject, leaveProject: leaving } = accountOperations;

  addExtension(app, readOwn, { role: "Viewer" }, async ({ request }) => {
    const { project: id, role } = callerOf(request);
    const identity = identityOf(request);
    const project = present(await findProject(database, id), "the project was there a moment ago");
    const who =
      identity.kind === "user"
        ? { user: shownUser(identity.session.user) }
        : { key: { id: identity.key.id, name: identity.key.name } };
    return { data: { ...who, project: { id: project.id, name: project.name }, role } };
  });

  addExtension(app, listProjects, { role: "signed-in" }, async ({ request }) => {
    const identity = identityOf(request);
    if (identity.kind === "user") {
      return { data: identity.projects.map(shownProject) };
    }
    const { project, role } = identity.key;
    const found = await findProject(database, project);
    return { data: found ? [{ ...found, role }] : [] };
  });

  addExtension(app, createProject, { role: "signed-in" }, async ({ body, request }) => {
    const identity = identityOf(request);
    if (identity.kind === "key") {
      throw new Problem(
        "forbidden",
        "An API key belongs to one project and cannot create another. Log in with an account: graphloom login.",
      );
    }
    const made = await beginProject(database, identity.session.user, nameIn(body), request.ip);
    return { data: { ...made, role: "Owner" } };
  });

  addExtension(app, updateProject, { role: "Editor", isOfPath: true }, async ({ body, request }) => {
    const doer = doerOf(request);
    const changed = await changeProjectName(database, doer, nameIn(body));
    return { data: { ...changed, role: doer.caller.role } };
  });

  addExtension(app, leaving, { role: "Viewer", isOfPath: true }, async ({ request }) => {
    const doer = doerOf(request);
    const { revokedKeys } = await leaveProject(database, doer);
    return { data: { id: doer.caller.project, revoked_keys: revokedKeys } };
  });
}

/** @throws Problem */
function nameIn({ name: given }: { readonly name: string }): string {
  const name = readName(given);
  if (name !== undefined) return name;
  const errors = [{ field: "name", message: "must not be blank or contain control characters" }];
  throw new Problem("bad-request", "The body has invalid fields: name.", { errors });
}
