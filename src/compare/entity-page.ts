import { isRecord } from "../base/text/json-value.js";
import { headIn } from "./block.js";
import type { QueryEndpoint } from "./endpoint.js";
import type { EntityList } from "./endpoint-schema.js";
import { compareIds, isId } from "./id-order.js";
import type { ComparedField, ComparedType } from "./match-schemas.js";

/** An entity as an endpoint returns it. */
export interface EntityRow {
  readonly id: string;
  /** Values by the names of the compared fields; a reference is the id of the other entity. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** The source from which the entities of a type are read. */
export interface EntitySource {
  readonly endpoint: QueryEndpoint;
  readonly type: ComparedType;
  readonly list: EntityList;
  readonly block: number;
  /** The deployment that the endpoint served when the comparison started. */
  readonly deployment: string | undefined;
  /** The hash of the block at the endpoint; absent when the endpoint does not return it. */
  readonly hash: string | undefined;
  /** Entities per page; graph-node allows 1000. */
  readonly page: number;
}

/** The longest accepted id, in characters. */
const longestId = 10_000;

/**
 * Reads the next page of entities, in the order of their ids.
 * @param after the last id before the page; absent for the first page
 * @returns at most a page; empty when there are no more entities
 * @throws EndpointFailure when the answer is not the requested page, or comes from a different deployment or chain
 */
export async function readPage(
  source: EntitySource,
  after: string | undefined,
): Promise<readonly EntityRow[]> {
  const { endpoint, block } = source;
  const where = after === undefined ? {} : { id_gt: after };
  const data = await endpoint.ask(queryOf(source), { where, block: { number: block } });
  checkSame(source, data);
  const { rows } = data;
  if (!Array.isArray(rows) || rows.length > source.page)
    throw endpoint.failure(`its answer is not the requested page of ${source.type.name}`);
  let last = after;
  return rows.map((value: unknown) => {
    const row = rowOf(value, source);
    if (last !== undefined && compareIds(source.type.order, last, row.id) >= 0)
      throw endpoint.failure(outOfOrder(source, last, row.id));
    last = row.id;
    return row;
  });
}

function outOfOrder({ type, endpoint }: EntitySource, before: string, after: string): string {
  const [one, other] = [before, after].map((id) => JSON.stringify(endpoint.clean(id).slice(0, 80)));
  const order = type.order === "number" ? "their numbers" : "their bytes";
  return `the ids of ${type.name} are not in the order of ${order} (${one} before ${other}), so the two sides cannot be compared; check whether its database uses a collation other than C`;
}

function queryOf({ type, list, page }: EntitySource): string {
  const fields = type.fields.map((field) => selectionOf(field, list)).join(" ");
  return `query Page($where: ${list.filter}, $block: Block_height) {
  rows: ${list.root}(first: ${page}, orderBy: id, orderDirection: asc, where: $where, block: $block) { id ${fields} }
  _meta(block: $block) { deployment block { number hash } }
}`;
}

function selectionOf({ name, isReference }: ComparedField, { paged }: EntityList): string {
  if (!isReference) return name;
  return `${name}${paged.has(name) ? "(first: 1000)" : ""} { id }`;
}

/** Checks that no tag has moved and no chain has reorganised since the comparison started. */
function checkSame(
  { endpoint, deployment, hash, block }: EntitySource,
  data: Readonly<Record<string, unknown>>,
): void {
  const now = headIn(data);
  const again = "start again, without --state or with a new file";
  if (deployment !== undefined && now?.deployment !== undefined && now.deployment !== deployment)
    throw endpoint.failure(`it now serves a different deployment than at the start; ${again}`);
  if (hash !== undefined && now?.hash !== undefined && now.hash.toLowerCase() !== hash.toLowerCase())
    throw endpoint.failure(`the chain was reorganised, and block ${block} is no longer the same; ${again}`);
}

function rowOf(value: unknown, source: EntitySource): EntityRow {
  const { endpoint, type } = source;
  const id = isRecord(value) ? value.id : undefined;
  if (!isRecord(value) || typeof id !== "string" || id.length > longestId || !isId(type.order, id))
    throw endpoint.failure(`an entity of ${type.name} has no valid id`);
  const values = type.fields.map((field): [string, unknown] => {
    const found = comparedValue(field, value[field.name]);
    if (found !== undefined) return [field.name, found];
    throw endpoint.failure(
      `the value of ${type.name}.${field.name} in an entity does not match the type of the field`,
    );
  });
  return { id, values: new Map(values) };
}

/** The value of a field for comparison; `undefined` when its shape is wrong, or when a number lost digits. */
function comparedValue({ isReference, isList }: ComparedField, value: unknown): unknown {
  if (value === null) return null;
  if (isList !== Array.isArray(value)) return undefined;
  const single = isReference ? idOf : plainValue;
  if (!Array.isArray(value)) return single(value);
  const items = value.map(single);
  return items.includes(undefined) ? undefined : items;
}

function idOf(value: unknown): unknown {
  return isRecord(value) && typeof value.id === "string" ? value.id : undefined;
}

function plainValue(value: unknown): unknown {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : undefined;
  return value === null || typeof value === "string" || typeof value === "boolean" ? value : undefined;
}
