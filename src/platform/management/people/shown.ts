import { roleSchema } from "../../../api/account-operations.js";
import { noTimeSchema, objectOf, textSchema, timeSchema } from "../../../api/extension.js";
import type { ApiKey } from "../../people/api-keys.js";
import type { NotedAct } from "../../people/audit.js";
import type { ListedMember } from "../../people/manage-members.js";
import type { Membership } from "../../people/members.js";
import type { User } from "../../people/users.js";

/** People and projects as answers show them, and schemas for fields that no client reads. */

const keyFields = {
  id: textSchema("`key_…`"),
  name: textSchema(),
  role: roleSchema,
  created_at: timeSchema,
  last_used_at: noTimeSchema,
  revoked_at: noTimeSchema,
  made_by: {
    ...objectOf({
      id: textSchema("The id of a user or an API key."),
      name: textSchema("The name at that time."),
    }),
    type: ["object", "null"],
    description: "Null when the server itself made the key.",
  },
};
export const keySchema = objectOf(keyFields);
export const newKeySchema = objectOf({
  ...keyFields,
  key: textSchema("The API key itself. It is shown only this once."),
});
export const actSchema = objectOf({
  id: textSchema("Increases with time. Pass it as `before`."),
  at: timeSchema,
  actor: objectOf({ id: textSchema("The id of an API key or a user."), name: textSchema() }),
  action: textSchema("`member.invite`"),
  subject: textSchema("What the action was applied to."),
  address: { type: ["string", "null"], description: "The network address that the request came from." },
});
export function shownUser({ id, email, name }: User) {
  return { id, email, name };
}

export function shownProject({ id, name, role }: Membership) {
  return { id, name, role };
}

export function shownMember({ since, ...member }: ListedMember) {
  return { ...member, since: since.toISOString() };
}

export function shownKey({ id, name, role, createdAt, lastUsedAt, revokedAt, maker }: ApiKey) {
  return {
    id,
    name,
    role,
    created_at: createdAt.toISOString(),
    last_used_at: lastUsedAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
    made_by: maker ?? null,
  };
}

export function shownAct({ id, at, actor, action, subject, address }: NotedAct) {
  return { id: String(id), at: at.toISOString(), actor, action, subject, address: address ?? null };
}
