import { isRecord } from "../../base/text/json-value.js";
import { isGraphNodeName } from "../endpoints/names.js";
import { RpcError } from "./json-rpc.js";

/** Reads a value. @throws a Misfit */
type Reader<Value> = (value: unknown) => Value;

/** The parameters of a call: their names in order, with a reader for each. */
interface Shape<Params> {
  /** The name that graph-node gives to it in messages. */
  readonly struct: string;
  readonly fields: { readonly [Name in keyof Params]-?: Field<Params[Name]> };
}

interface Field<Value> {
  readonly read: Reader<Value>;
  readonly isOptional?: boolean;
}

/** A mistake in a value, in the words of graph-node's parser. */
class Misfit extends Error {}

export interface DeployParams {
  readonly name: string;
  readonly ipfs_hash: string;
  readonly node_id: string | undefined;
  readonly debug_fork: string | undefined;
  readonly history_blocks: number | undefined;
  /** graph-node ignores it. */
  readonly version_label: string | undefined;
}

/** `org/pools` */
const name: Field<string> = {
  read: (value) => {
    const given = printValue(value);
    if (isGraphNodeName(given)) return given;
    throw new Misfit(`invalid value: string ${JSON.stringify(given)}, expected valid subgraph name`);
  },
};
const hash: Field<string> = {
  read: (value) => {
    const given = printValue(value);
    if (/^[\w.]{0,46}$/.test(given)) return given;
    // graph-node calls hashes names here.
    throw new Misfit(`invalid value: string ${JSON.stringify(given)}, expected valid subgraph name`);
  },
};
const nodeId: Field<string> = {
  read: (value) => {
    const given = printValue(value);
    if (given.length >= 1 && given.length <= 63) return given;
    throw new Misfit(`invalid value: string ${JSON.stringify(given)}, expected valid node ID`);
  },
};
const int32: Field<number> = {
  read: (value) => {
    if (Number.isInteger(value) && Math.abs(Number(value)) < 2 ** 31) return Number(value);
    throw new Misfit(
      typeof value === "number"
        ? `invalid value: integer \`${value}\`, expected i32`
        : `invalid type: ${kindOf(value)}, expected i32`,
    );
  },
};
/** A label of another type counts as absent, since graph-node ignores it. */
const label: Field<string | undefined> = {
  read: (value) => (typeof value === "string" ? value : undefined),
  isOptional: true,
};

export const createShape: Shape<{ readonly name: string }> = {
  struct: "SubgraphCreateParams",
  fields: { name },
};
export const removeShape: Shape<{ readonly name: string }> = {
  struct: "SubgraphRemoveParams",
  fields: { name },
};
export const deployShape: Shape<DeployParams> = {
  struct: "SubgraphDeployParams",
  fields: {
    name,
    ipfs_hash: hash,
    node_id: maybe(nodeId),
    debug_fork: maybe(hash),
    history_blocks: maybe(int32),
    version_label: label,
  },
};
export const reassignShape: Shape<{ readonly ipfs_hash: string; readonly node_id: string }> = {
  struct: "SubgraphReassignParams",
  fields: { ipfs_hash: hash, node_id: nodeId },
};
export const pauseShape: Shape<{ readonly deployment: string }> = {
  struct: "SubgraphPauseParams",
  fields: { deployment: hash },
};
export const resumeShape: Shape<{ readonly deployment: string }> = {
  struct: "SubgraphResumeParams",
  fields: { deployment: hash },
};

/** Reads the parameters of a call, by name or by position. Unknown ones are ignored. @throws RpcError -32602 */
export function readParams<Params>(params: unknown, shape: Shape<Params>): Params {
  try {
    return fieldsOf(named(params, shape), shape);
  } catch (error) {
    if (error instanceof Misfit) throw new RpcError(-32_602, `Invalid params: ${error.message}`);
    throw error;
  }
}

function named<Params>(
  params: unknown,
  { struct, fields }: Shape<Params>,
): Readonly<Record<string, unknown>> {
  if (isRecord(params)) return params;
  if (!Array.isArray(params)) throw new Misfit(`invalid type: ${kindOf(params)}, expected struct ${struct}`);
  const known = Object.entries<Field<unknown>>(fields);
  const needed = known.filter(([, { isOptional }]) => !isOptional).length;
  if (params.length < needed) {
    const all = `${needed} element${needed === 1 ? "" : "s"}`;
    throw new Misfit(`invalid length ${params.length}, expected struct ${struct} with ${all}`);
  }
  return Object.fromEntries(known.map(([field], index) => [field, params[index]] as const));
}

function fieldsOf<Params>(given: Readonly<Record<string, unknown>>, { fields }: Shape<Params>): Params {
  const known = Object.entries<Field<unknown>>(fields);
  const read = new Map<string, unknown>();
  // graph-node's parser sorts the members, and notices a missing one at the end.
  for (const [field, { read: reader }] of known.toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (given[field] !== undefined) read.set(field, reader(given[field]));
  }
  for (const [field, { isOptional }] of known) {
    if (!isOptional && !read.has(field)) throw new Misfit(`missing field \`${field}\``);
  }
  return Object.fromEntries(known.map(([field]) => [field, read.get(field)])) as Params;
}

function maybe<Value>({ read }: Field<Value>): Field<Value | undefined> {
  return { read: (value) => (value === null ? undefined : read(value)), isOptional: true };
}

function printValue(value: unknown): string {
  if (typeof value === "string") return value;
  throw new Misfit(`invalid type: ${kindOf(value)}, expected a string`);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "string") return `string ${JSON.stringify(value)}`;
  if (typeof value === "boolean") return `boolean \`${value}\``;
  if (typeof value === "number") return "number";
  return Array.isArray(value) ? "sequence" : "map";
}
