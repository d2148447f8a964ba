import type { Database, Sql } from "../../store/database/database.js";
import type { Caller } from "../people/access.js";
import { noteChange } from "../people/doer.js";
import type { Platform } from "../platform.js";
import { type FieldError, Problem } from "../problem.js";
import { requireRoom } from "../quotas/quotas.js";
import { randomToken } from "../sealing/hashed.js";
import { seal, unseal } from "../sealing/sealed.js";
import { isDomain } from "./domains.js";
import {
  addEdgeEndpoint,
  changeEdgeEndpoint,
  deleteEdgeEndpoint,
  type EdgeChange,
  type EdgeEndpoint,
  type EdgeName,
  findEdgeEndpoint,
} from "./edge-endpoints.js";
import { nameFaults } from "./edge-names.js";

/** The endpoint that a request wants to create. */
export type AskedEndpoint = Pick<EdgeEndpoint, "name" | "product" | "budget" | "domains">;

/** A new endpoint, with its key. */
export interface MadeEndpoint {
  readonly endpoint: EdgeEndpoint;
  readonly key: string;
  /** Warnings for its creator. */
  readonly warnings: readonly string[];
}

/**
 * Creates an endpoint with a key. Every change, and every reveal of a key, is recorded in the audit log in the same
 * transaction.
 * @throws Problem `bad-request`, `conflict`, and when the project has no room; DatabaseError
 */
export async function createEndpoint(
  { database, settings, secretKey }: Platform,
  caller: Caller,
  asked: AskedEndpoint,
): Promise<MadeEndpoint> {
  const { project } = caller;
  refuse([...nameFaults(asked.name), ...domainFaults(asked.domains)]);
  const name = { project, name: asked.name };
  const key = randomToken("ge");
  const sealedKey = seal(secretKey, key, sealPlace(name));
  const isAdded = await database.transaction(async (sql) => {
    await requireRoom(sql, settings, "endpoints", project);
    const isNew = await addEdgeEndpoint(sql, { ...asked, project, key, sealedKey });
    if (isNew) await noteChange(sql, caller, "edge-endpoint.create", asked.name);
    return isNew;
  });
  if (!isAdded) {
    const detail = `An endpoint named "${name.name}" already exists. Choose another name.`;
    throw new Problem("conflict", detail, { errors: [{ field: "name", message: "is taken" }] });
  }
  const isShut = asked.product === "data" && !settings.dataService;
  return { endpoint: await required(database, name), key, warnings: isShut ? [noDataService] : [] };
}

const noDataService =
  "This server was started without --data-service. The key gives access to nothing until the server has a data service.";

/** The endpoint of the caller's project with a name. @throws Problem `edge-endpoint-not-found`; DatabaseError */
export function requireEndpoint(sql: Sql, { project }: Caller, name: string): Promise<EdgeEndpoint> {
  return required(sql, { project, name });
}

/** The key of an endpoint. @throws Problem `edge-endpoint-not-found`; DatabaseError; SealBroken */
export async function revealEndpointKey(
  { database, secretKey }: Pick<Platform, "database" | "secretKey">,
  caller: Caller,
  name: string,
): Promise<string> {
  return database.transaction(async (sql) => {
    const found = await requireEndpoint(sql, caller, name);
    await noteChange(sql, caller, "edge-endpoint.reveal", name);
    return unseal(secretKey, found.sealedKey, sealPlace(found));
  });
}

/** Changes, pauses or resumes an endpoint. @throws Problem `bad-request`, `edge-endpoint-not-found`; DatabaseError */
export async function changeEndpoint(
  database: Database,
  caller: Caller,
  name: string,
  change: EdgeChange,
): Promise<EdgeEndpoint> {
  refuse(domainFaults(change.domains ?? []));
  return database.transaction(async (sql) => {
    const changed = await changeEdgeEndpoint(sql, { project: caller.project, name }, change);
    if (!changed) return missing(name);
    await noteChange(sql, caller, `edge-endpoint.${deedOf(change)}`, name);
    return changed;
  });
}

function deedOf({ isPaused }: EdgeChange): string {
  if (isPaused === undefined) return "change";
  return isPaused ? "pause" : "resume";
}

/** Deletes an endpoint, which makes its key invalid. @throws Problem `edge-endpoint-not-found`; DatabaseError */
export async function removeEndpoint(database: Database, caller: Caller, name: string): Promise<void> {
  await database.transaction(async (sql) => {
    if (!(await deleteEdgeEndpoint(sql, { project: caller.project, name }))) missing(name);
    await noteChange(sql, caller, "edge-endpoint.delete", name);
  });
}

async function required(sql: Sql, name: EdgeName): Promise<EdgeEndpoint> {
  return (await findEdgeEndpoint(sql, name)) ?? missing(name.name);
}

function missing(name: string): never {
  throw new Problem("edge-endpoint-not-found", `There is no endpoint "${name}".`);
}

/** The context that an endpoint's key is encrypted for. */
function sealPlace({ project, name }: EdgeName): string {
  return `edge ${project}/${name}`;
}

function domainFaults(domains: readonly string[]): readonly FieldError[] {
  return domains.flatMap((domain, index) =>
    isDomain(domain)
      ? []
      : [
          {
            field: `allowed_domains.${index}`,
            message: "is not a domain, such as example.com or *.example.com",
          },
        ],
  );
}

/** @throws Problem that names all invalid fields */
function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0)
    throw new Problem("bad-request", "Some fields of the endpoint are invalid.", { errors });
}
