import { snakeCase } from "../base/text/snake-case.js";
import { type Abi, type AbiEvent, type AbiFunction, plainSignature } from "../compiler/abi/abi.js";
import { abiTypeText, canonicalType, type Parameter } from "../compiler/abi/solidity-type.js";
import { entityNameProblem } from "../compiler/names/entity-names.js";
import { fieldNameProblem } from "../compiler/names/field-names.js";

/** A contract read that fits an event: its result becomes a field of the event's entity. */
export interface ProposedRead {
  /** Its name in options: `Transfer.balanceOf`. */
  readonly id: string;
  /** `Transfer(address,address,uint256)` */
  readonly event: string;
  /** The entity type that stores the event. */
  readonly entity: string;
  readonly function: string;
  /** Name of the event parameter to pass. */
  readonly parameter: string;
  /** The ABI type of the result. */
  readonly type: string;
}

/** The fields that every event's entity has, beside the fields for parameters. */
const baseFields = ["id", "block_number", "timestamp_", "transactionHash_", "contractId_"];
/**
 * Names of a parameter for the address whose holdings a function returns, used if the event moves something
 * to `to`.
 */
const holders = /^(?:account|owner|holder|user|who|wallet|a|tokenOwner|guy|)$/i;

/**
 * Proposes view calls for events, conservatively: the function takes one address or one id that the event has
 * under the same name, and returns one plain value. For a transfer, `balanceOf` reads the receiver's new
 * balance.
 * @returns in the order of the events, then of the functions
 */
export function proposeReads(abi: Abi): readonly ProposedRead[] {
  const events = abi.events.filter((event) => isStoredByName(event, abi));
  const reads = abi.functions.filter((fn) => isPlainRead(fn, abi));
  return events.flatMap((event) =>
    reads.flatMap((fn) => {
      const parameter = passed(event, fn);
      const [output] = fn.outputs;
      if (parameter === undefined || !output || hasField(event, fn.name)) return [];
      return [
        {
          id: `${event.name}.${fn.name}`,
          event: plainSignature(event),
          entity: event.name,
          function: fn.name,
          parameter: parameter.name,
          type: abiTypeText(output.type),
        },
      ];
    }),
  );
}

/** Whether the entity of an event has the event's name; it does not if other events share the name. */
function isStoredByName(event: AbiEvent, { events }: Abi): boolean {
  const isAlone = events.filter(({ name }) => snakeCase(name) === snakeCase(event.name)).length === 1;
  return isAlone && !event.anonymous && entityNameProblem(event.name) === undefined;
}

function isPlainRead(fn: AbiFunction, { functions }: Abi): boolean {
  const [input, second] = fn.inputs;
  const [output, other] = fn.outputs;
  if (fn.mutability !== "view" || !input || second || !output || other) return false;
  const isAlone = functions.filter(({ name }) => name === fn.name).length === 1;
  const isPlain = ["bool", "int", "fixedBytes", "string"].includes(output.type.kind);
  return isAlone && isPlain && isKey(input) && fieldNameProblem(fn.name) === undefined;
}

/** Whether a parameter identifies something: an address or an id. */
function isKey({ type }: Parameter): boolean {
  return type.kind === "address" || (type.kind === "int" && type.bits >= 32) || type.kind === "fixedBytes";
}

/** The event parameter to pass; `undefined` unless exactly one fits. */
function passed(event: AbiEvent, fn: AbiFunction): Parameter | undefined {
  const [input] = fn.inputs;
  if (!input) return undefined;
  const type = canonicalType(input.type);
  const fitting = event.inputs.filter((one) => canonicalType(one.type) === type && one.name !== "");
  const same = fitting.filter(({ name }) => bare(input.name) !== "" && bare(name) === bare(input.name));
  if (same.length === 1) return isUsable(same[0], event) ? same[0] : undefined;
  if (fn.name !== "balanceOf" || !holders.test(bare(input.name))) return undefined;
  const to = fitting.filter(({ name }) => /^(?:to|dst)$/.test(bare(name)));
  return to.length === 1 && isUsable(to[0], event) ? to[0] : undefined;
}

/** Whether expressions can use a parameter under its own name. */
function isUsable(parameter: Parameter | undefined, { inputs }: AbiEvent): boolean {
  const name = parameter?.name ?? "";
  return /^[a-zA-Z_]\w*$/.test(name) && inputs.filter((one) => one.name === name).length === 1;
}

function hasField({ inputs }: AbiEvent, name: string): boolean {
  return [...baseFields, ...inputs.map((input) => input.name)].some(
    (field) => snakeCase(field) === snakeCase(name),
  );
}

function bare(name: string): string {
  return name.replace(/^_+|_+$/g, "").toLowerCase();
}
