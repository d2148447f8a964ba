import { createHash } from "node:crypto";
import { isRecord } from "../base/text/json-value.js";
import type { ComparedBlock } from "./block.js";
import type { QueryEndpoint } from "./endpoint.js";
import type { ComparisonPlan } from "./match-schemas.js";
import type { TypeTally } from "./tally.js";

/** The progress of a comparison, as plain data from which it can be resumed. */
export interface ComparisonState {
  /** Digest of the endpoints, types and fields that are compared. It contains no address and no key. */
  readonly comparison: string;
  readonly block: ComparedBlock;
  /** The deployments that the endpoints served at the start. */
  readonly deployments: readonly [left: string | undefined, right: string | undefined];
  /** In the order in which the types are compared. */
  readonly types: readonly TypeTally[];
  readonly isDone: boolean;
}

/** A state is invalid, or belongs to a different comparison. */
export class StateError extends Error {
  override readonly name = "StateError";
}

/** The digest of a comparison: of both addresses, and of the types and fields that are read. */
export function digestOf(sides: readonly [QueryEndpoint, QueryEndpoint], { types }: ComparisonPlan): string {
  const what = [sides.map(({ identity }) => identity), types];
  return createHash("sha256")
    .update(JSON.stringify(what, (_, value) => (value instanceof Set ? [...value] : value)))
    .digest("hex");
}

/**
 * Reads a stored state.
 * @param value parsed JSON; may be anything
 * @throws StateError when it is not a state
 */
export function readState(value: unknown): ComparisonState {
  if (!isRecord(value) || !isRecord(value.block) || !Array.isArray(value.types)) throw damaged();
  const { comparison, block, deployments, types, isDone } = value;
  if (typeof comparison !== "string" || !isCount(block.number) || !Array.isArray(deployments))
    throw damaged();
  return {
    comparison,
    block: {
      number: block.number,
      left: textIn(block.left),
      right: textIn(block.right),
      isSame: typeof block.isSame === "boolean" ? block.isSame : undefined,
    },
    deployments: [textIn(deployments[0]), textIn(deployments[1])],
    types: types.map(readTally),
    isDone: isDone === true,
  };
}

function readTally(value: unknown): TypeTally {
  if (!isRecord(value) || typeof value.name !== "string") throw damaged();
  const { left, right, only_left, only_right, different, fields, first, last } = value;
  const counts = { left, right, only_left, only_right, different };
  const hasCounts =
    Object.values(counts).every(isCount) && isRecord(fields) && Object.values(fields).every(isCount);
  if (!hasCounts || !Array.isArray(first) || !(last === null || typeof last === "string")) throw damaged();
  if (
    !first.every((one: unknown) => isRecord(one) && typeof one.id === "string" && Array.isArray(one.fields))
  )
    throw damaged();
  return structuredClone(value) as unknown as TypeTally;
}

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}

function textIn(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function damaged(): StateError {
  return new StateError("it is damaged, or graphloom did not write it");
}
