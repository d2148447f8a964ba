import type { SecretValue } from "../../api/secret-types.js";
import { InternalError } from "../../base/invariant.js";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import type { Sql } from "../../store/database/database.js";
import { type Doer, noteDeed } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import type { AskedChange, AskedSecret } from "./asked-secret.js";
import {
  addSecret,
  changeSecret,
  deleteSecret,
  findSecret,
  openSecret,
  type Secret,
  type SecretName,
  sealSecret,
  usesOfSecret,
} from "./secrets.js";

/**
 * The dependencies of the use cases of secrets. Every change, and every reveal of a value, is recorded in the audit
 * log in the same transaction.
 */
type Keeper = Pick<Platform, "database" | "secretKey">;

/** Stores a new secret. @throws Problem `conflict` if the project already has a secret with the name; DatabaseError */
export async function createSecret(
  { database, secretKey }: Keeper,
  doer: Doer,
  { name: own, type, value, description }: AskedSecret,
): Promise<Secret> {
  const name = secretName(doer, own);
  const sealedValue = sealSecret(secretKey, name, JSON.stringify(value));
  return database.transaction(async (sql) => {
    if (!(await addSecret(sql, { ...name, type, description, sealedValue }))) {
      const detail = `The secret "${own}" already exists. Change it, or choose another name.`;
      throw new Problem("conflict", detail, { errors: [{ field: "name", message: "is taken" }] });
    }
    await noteDeed(sql, doer, "secret.create", own);
    return required(sql, name);
  });
}

/** The value of a secret. @throws Problem `secret-not-found`; DatabaseError; SealBroken */
export async function revealSecret(
  { database, secretKey }: Keeper,
  doer: Doer,
  own: string,
): Promise<SecretValue> {
  const name = secretName(doer, own);
  return database.transaction(async (sql) => {
    await noteDeed(sql, doer, "secret.reveal", own);
    return readValue((await openSecret(sql, name, secretKey)) ?? missing(name));
  });
}

/** A secret of the caller's project, and what uses it. @throws Problem `secret-not-found`; DatabaseError */
export async function showSecret(
  sql: Sql,
  { project }: Doer["caller"],
  own: string,
): Promise<{ readonly secret: Secret; readonly users: readonly string[] }> {
  const name = { project, name: own };
  return { secret: await required(sql, name), users: await usesOfSecret(sql, name) };
}

/**
 * Changes a secret; absent fields stay unchanged.
 * @throws Problem `secret-not-found`, `bad-request` for a different type; DatabaseError
 */
export async function updateSecret(
  { database, secretKey }: Keeper,
  doer: Doer,
  own: string,
  { value, type, description }: AskedChange,
): Promise<Secret> {
  const name = secretName(doer, own);
  return database.transaction(async (sql) => {
    const before = await required(sql, name, { isLocked: true });
    if (type !== undefined && type !== before.type) {
      const message = `must stay ${before.type}, because what uses the secret depends on its type`;
      const errors = [{ field: "value.type", message }];
      throw new Problem("bad-request", "The type of a secret cannot change. Create a new secret instead.", {
        errors,
      });
    }
    const changed = await changeSecret(sql, name, {
      ...(description !== undefined && { description }),
      ...(value && { sealedValue: sealSecret(secretKey, name, JSON.stringify(value)) }),
    });
    await noteDeed(sql, doer, "secret.update", own);
    return changed ?? missing(name);
  });
}

/** Deletes a secret that nothing uses. @throws Problem `secret-not-found`, `in-use`; DatabaseError */
export async function removeSecret(
  { database }: Pick<Keeper, "database">,
  doer: Doer,
  own: string,
): Promise<void> {
  const name = secretName(doer, own);
  await database.transaction(async (sql) => {
    await required(sql, name, { isLocked: true });
    const users = await usesOfSecret(sql, name);
    if (users.length > 0) {
      const detail = `"${own}" is still used by ${users.join(", ")}. Delete those first, or make them use a different secret.`;
      throw new Problem("in-use", detail);
    }
    await deleteSecret(sql, name);
    await noteDeed(sql, doer, "secret.delete", own);
  });
}

function secretName({ caller: { project } }: Doer, name: string): SecretName {
  return { project, name };
}

async function required(sql: Sql, name: SecretName, how?: { readonly isLocked: boolean }): Promise<Secret> {
  return (await findSecret(sql, name, how)) ?? missing(name);
}

function missing({ name }: SecretName): never {
  throw new Problem("secret-not-found", `There is no secret "${name}".`);
}

/** @throws InternalError that does not reveal the value */
function readValue(text: string): SecretValue {
  const value = parseJson(text);
  if (isRecord(value)) return value;
  throw new InternalError("the stored value of a secret is not a JSON object");
}
