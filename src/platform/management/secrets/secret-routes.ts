import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Secret as ShownSecret } from "../../../api/contract.js";
import { InternalError, present } from "../../../base/invariant.js";
import { isRecord, parseJson } from "../../../base/json-value.js";
import type { Sql } from "../../../store/database/database.js";
import { doerOf } from "../../http/doer-of.js";
import { callerOf } from "../../http/roles.js";
import { noteDeed } from "../../people/doer.js";
import type { Platform } from "../../platform.js";
import { Problem } from "../../problem.js";
import {
  addSecret,
  changeSecret,
  deleteSecret,
  findSecret,
  listSecrets,
  openSecret,
  type Secret,
  type SecretName,
  sealSecret,
  usesOfSecret,
} from "../../secrets/secrets.js";
import { addOperations } from "../operations.js";
import { pagination } from "../pages.js";
import { readNewSecret, readSecretChange } from "./asked-secret.js";

/** The operations of secrets. Every change, and every look at a value, is noted in the transaction that makes it. */
export function secretRoutes(app: FastifyInstance, { database, secretKey }: Platform): void {
  // Values are not to stay in what lies between here and those who ask.
  app.addHook("onSend", async (_, reply) => void reply.header("cache-control", "no-store"));

  addOperations(app, {
    listSecrets: async ({ request }) => {
      const found = await listSecrets(database, callerOf(request).project);
      return { data: found.map(shown), pagination: pagination(Math.max(found.length, 1), undefined) };
    },
    createSecret: async ({ body, request }) => {
      const { name: own, type, value, description } = readNewSecret(present(body, "a secret has a body"));
      const name = { project: callerOf(request).project, name: own };
      const sealedValue = sealSecret(secretKey, name, JSON.stringify(value));
      return database.transaction(async (sql) => {
        if (!(await addSecret(sql, { ...name, type, description, sealedValue }))) {
          throw new Problem(
            "conflict",
            `There is a secret "${own}" already: change it, or choose another name.`,
          );
        }
        await noteDeed(sql, doerOf(request), "secret.create", name.name);
        return { data: shown(await required(sql, name)) };
      });
    },
    revealSecret: async ({ path, request }) => {
      const name = nameOf(path, request);
      return database.transaction(async (sql) => {
        await noteDeed(sql, doerOf(request), "secret.reveal", name.name);
        const text = (await openSecret(sql, name, secretKey)) ?? missing(name);
        return { data: { name: name.name, value: readValue(text) } };
      });
    },
    updateSecret: async ({ path, body = {}, request }) => {
      const name = nameOf(path, request);
      const { value, type, description } = readSecretChange(body);
      return database.transaction(async (sql) => {
        const before = await required(sql, name, { isLocked: true });
        if (type !== undefined && type !== before.type) {
          const message = `must stay ${before.type}: what uses the secret needs that`;
          const errors = [{ field: "value.type", message }];
          throw new Problem("bad-request", "The type of a secret does not change; make another secret.", {
            errors,
          });
        }
        const changed = await changeSecret(sql, name, {
          ...(description !== undefined && { description }),
          ...(value && { sealedValue: sealSecret(secretKey, name, JSON.stringify(value)) }),
        });
        await noteDeed(sql, doerOf(request), "secret.update", name.name);
        return { data: shown(changed ?? missing(name)) };
      });
    },
    deleteSecret: async ({ path, request }) => {
      const name = nameOf(path, request);
      await database.transaction(async (sql) => {
        await required(sql, name, { isLocked: true });
        const users = await usesOfSecret(sql, name);
        if (users.length > 0) {
          const detail = `"${name.name}" is still used by ${users.join(", ")}; delete that first, or have it use another.`;
          throw new Problem("in-use", detail);
        }
        await deleteSecret(sql, name);
        await noteDeed(sql, doerOf(request), "secret.delete", name.name);
      });
      return undefined;
    },
  });
}

function nameOf({ name }: { readonly name: string }, request: FastifyRequest): SecretName {
  return { project: callerOf(request).project, name };
}

async function required(sql: Sql, name: SecretName, how?: { readonly isLocked: boolean }): Promise<Secret> {
  return (await findSecret(sql, name, how)) ?? missing(name);
}

function missing({ name }: SecretName): never {
  throw new Problem("secret-not-found", `There is no secret "${name}".`);
}

/** @throws InternalError that shows nothing of the value */
function readValue(text: string): Readonly<Record<string, unknown>> {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new InternalError("a secret's value is not what was kept");
}

function shown({ name, type, description, createdAt, updatedAt }: Secret): ShownSecret {
  return {
    name,
    type,
    description,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
  };
}
