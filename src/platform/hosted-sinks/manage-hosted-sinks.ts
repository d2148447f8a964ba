import { randomInt } from "node:crypto";
import type { NewHostedSink } from "../../api/hosted-sink-operations.js";
import { checkSecretValue, isSecretName, secretNameRule } from "../../api/secret-types.js";
import { invariant } from "../../base/invariant.js";
import { type Doer, noteDeed } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { Problem } from "../problem.js";
import { requireRoom } from "../quotas/quotas.js";
import {
  addSecret,
  deleteSecret,
  findSecret,
  type Secret,
  type SecretName,
  sealSecret,
  setSecretUses,
  usesOfSecret,
} from "../secrets/secrets.js";
import { mayLimitFiles, requireRights } from "./cluster-faults.js";
import type { HostedCluster } from "./hosted-cluster.js";
import { createHostedDatabase, dropHostedDatabase } from "./hosted-database.js";
import {
  addHostedSink,
  beginDeletion,
  deleteHostedSink,
  findHostedSink,
  finishHostedSink,
} from "./hosted-sink-rows.js";
import { secureSink } from "./secure-sink.js";

/** The dependencies of the use cases of hosted sinks. */
export type SinkKeeper = Pick<Platform, "database" | "secretKey" | "settings"> & {
  /** Where the databases are; absent if the server hosts none. */
  readonly cluster: HostedCluster | undefined;
};

/**
 * Creates a database with its own role, and stores the credentials as a secret. A failure leaves nothing behind. If
 * the server stops in the middle, the name stays taken until the hosted sink is deleted.
 * @throws Problem `unprocessable` if the server cannot host databases, `conflict` for a name that is taken,
 * `bad-request`; DatabaseError
 */
export async function createHostedSink(
  keeper: SinkKeeper,
  doer: Doer,
  { name: own = randomName(), description }: Omit<NewHostedSink, "type">,
): Promise<Secret> {
  const { database, settings } = keeper;
  const cluster = requireCluster(keeper);
  if (!isSecretName(own))
    throw new Problem("bad-request", "The hosted sink has no valid name.", {
      errors: [{ field: "name", message: secretNameRule }],
    });
  await requireRights(cluster, database);
  const name: SecretName = { project: doer.caller.project, name: own };
  const databaseName = `graphloom_sink_${randomLetters(16).toLowerCase()}`;
  await database.transaction(async (sql) => {
    if ((await findSecret(sql, name)) ?? (await findHostedSink(sql, name))) throwTaken(own);
    await requireRoom(sql, settings, "hostedSinks", name.project);
    if (!(await addHostedSink(sql, name, databaseName))) throwTaken(own);
  });
  try {
    const password = await createHostedDatabase(cluster.database, databaseName);
    const limitsFiles = await mayLimitFiles(cluster.database);
    await secureSink(cluster, databaseName, { access: "open", limitsFiles, roles: [] });
    const { host, port, tls } = cluster.server;
    const user = databaseName;
    const place = { type: "jdbc", protocol: "postgres", host, port };
    const value = { ...place, databaseName, user, password, ...tls };
    invariant(checkSecretValue(value).length === 0, "the address of a hosted database makes a secret");
    const sealedValue = sealSecret(keeper.secretKey, name, JSON.stringify(value));
    return await database.transaction(async (sql) => {
      const secret = {
        ...name,
        type: "jdbc",
        sealedValue,
        description: description?.trim() ? description : null,
      };
      if (!(await finishHostedSink(sql, name, databaseName)))
        throw new Problem("conflict", `The hosted sink "${own}" was deleted while it was created.`);
      if (!(await addSecret(sql, secret))) throwTaken(own);
      await setSecretUses(sql, name.project, useOf(own), [own]);
      await noteDeed(sql, doer, "hosted-sink.create", own);
      const added = await findSecret(sql, name);
      invariant(added !== undefined, "a secret is there in the transaction that adds it");
      return added;
    });
  } catch (error) {
    await drop(keeper, name, databaseName).catch((left: unknown) => {
      throw new AggregateError([error, left], `the hosted sink "${own}" was neither completed nor removed`, {
        cause: error,
      });
    });
    throw error;
  }
}

/**
 * Deletes a hosted sink: its secret, its database with all rows, and its role.
 * @throws Problem `not-found`, `in-use`; DatabaseError
 */
export async function removeHostedSink(
  keeper: Pick<SinkKeeper, "database" | "cluster">,
  doer: Doer,
  own: string,
): Promise<void> {
  const { database } = keeper;
  const name: SecretName = { project: doer.caller.project, name: own };
  const found = await database.transaction(async (sql) => {
    const sink = await findHostedSink(sql, name);
    if (!sink) throw new Problem("not-found", `There is no hosted sink "${own}".`);
    await beginDeletion(sql, name);
    // A secret with the same name does not belong to this hosted sink.
    if (sink.state !== "ready") return sink;
    await findSecret(sql, name, { isLocked: true });
    const users = (await usesOfSecret(sql, name)).filter((use) => use !== useOf(own));
    if (users.length > 0) {
      const detail = `"${own}" is still used by ${users.join(", ")}. Delete those first, or make them use a different secret.`;
      throw new Problem("in-use", detail);
    }
    await setSecretUses(sql, name.project, useOf(own), []);
    await deleteSecret(sql, name);
    await noteDeed(sql, doer, "hosted-sink.delete", own);
    return sink;
  });
  await drop(keeper, name, found.database);
}

async function drop(
  keeper: Pick<SinkKeeper, "database" | "cluster">,
  name: SecretName,
  databaseName: string,
): Promise<void> {
  await dropHostedDatabase(requireCluster(keeper).database, databaseName);
  await deleteHostedSink(keeper.database, name, databaseName);
}

function requireCluster({ cluster }: Pick<SinkKeeper, "cluster">): HostedCluster {
  if (cluster) return cluster;
  throw new Problem(
    "unprocessable",
    "This server hosts no databases. Its operator can start it with --hosted-sinks postgres://… Or create a secret for a database of your own: graphloom secret create",
  );
}

/** The use of a secret, which only the deletion of the hosted sink ends. */
function useOf(name: string): string {
  return `the hosted sink "${name}"`;
}

function throwTaken(name: string): never {
  throw new Problem(
    "conflict",
    `The name "${name}" is taken by a secret, or by a hosted sink that was never completed. Choose another name, or delete it first: graphloom hosted-sink delete ${name}`,
  );
}

function randomName(): string {
  return `HOSTED_POSTGRES_${randomLetters(8)}`;
}

function randomLetters(count: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  return Array.from({ length: count }, () => letters[randomInt(letters.length)]).join("");
}
