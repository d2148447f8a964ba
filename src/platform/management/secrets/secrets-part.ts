import type { FastifyInstance } from "fastify";
import type { Secret as ShownSecret } from "../../../api/contract.js";
import { present } from "../../../base/invariant.js";
import { doerOf } from "../../http/doer-of.js";
import { callerOf } from "../../http/roles.js";
import type { Platform } from "../../platform.js";
import { readNewSecret, readSecretChange } from "../../secrets/asked-secret.js";
import { createSecret, removeSecret, revealSecret, updateSecret } from "../../secrets/manage-secrets.js";
import { listSecrets, type Secret } from "../../secrets/secrets.js";
import type { ServerPart } from "../../server-part.js";
import { addOperations } from "../operations.js";
import { pagination } from "../pages.js";

export const secretsPart: ServerPart = () => ({ routes: secretRoutes });

/** The operations of secrets. */
function secretRoutes(app: FastifyInstance, platform: Platform): void {
  // Caches between the server and its clients must not store secret values.
  app.addHook("onSend", async (_, reply) => void reply.header("cache-control", "no-store"));

  addOperations(app, {
    listSecrets: async ({ request }) => {
      const found = await listSecrets(platform.database, callerOf(request).project);
      return { data: found.map(secretAnswer), pagination: pagination(Math.max(found.length, 1), undefined) };
    },
    createSecret: async ({ body, request }) => {
      const asked = readNewSecret(present(body, "a secret has a body"));
      return { data: secretAnswer(await createSecret(platform, doerOf(request), asked)) };
    },
    revealSecret: async ({ path: { name }, request }) => ({
      data: { name, value: await revealSecret(platform, doerOf(request), name) },
    }),
    updateSecret: async ({ path: { name }, body = {}, request }) => ({
      data: secretAnswer(await updateSecret(platform, doerOf(request), name, readSecretChange(body))),
    }),
    deleteSecret: async ({ path: { name }, request }) => {
      await removeSecret(platform, doerOf(request), name);
      return undefined;
    },
  });
}

function secretAnswer({ name, type, description, createdAt, updatedAt }: Secret): ShownSecret {
  return {
    name,
    type,
    description,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
