import { nowhere, QueryError } from "../query-error.js";
import { hexDigits } from "./decode.js";
import type { SelectedField } from "./selection.js";
import { debugText, type QueryValue } from "./values.js";

/** The block to read a field at, as the client named it. */
export type BlockConstraint =
  | { readonly kind: "latest" }
  | { readonly kind: "number" | "number_gte"; readonly number: number }
  /** Hex without 0x. */
  | { readonly kind: "hash"; readonly hash: string };

/** Adjacent root fields that are read at one block and fail together. */
export interface BlockGroup {
  readonly constraint: BlockConstraint;
  readonly fields: readonly SelectedField[];
  /** Whether all fields allow data despite indexing errors. */
  readonly allowsErrors: boolean;
}

/** Groups root fields. @throws QueryError for an invalid block */
export function blockGroups(fields: readonly SelectedField[]): readonly BlockGroup[] {
  const groups: (BlockGroup & { key: string; fields: SelectedField[]; allowsErrors: boolean })[] = [];
  for (const field of fields) {
    const constraint = constraintOf(field);
    const policy = field.args.get("subgraphError");
    const allowsErrors = policy?.kind === "Enum" && policy.value === "allow";
    const key = JSON.stringify(constraint);
    const last = groups.at(-1);
    if (last?.key === key) {
      last.fields.push(field);
      last.allowsErrors &&= allowsErrors;
    } else groups.push({ key, constraint, fields: [field], allowsErrors });
  }
  return groups;
}

function constraintOf({ args }: SelectedField): BlockConstraint {
  const given = args.get("block");
  if (given?.kind !== "Object") return { kind: "latest" };
  for (const kind of ["hash", "number", "number_gte"] as const) {
    const value = given.entries.get(kind);
    if (value) return constraint(kind, value, given);
  }
  throw refused(given);
}

const wholeBytes = /^(?:[0-9a-fA-F]{2})*$/;

function constraint(
  kind: "hash" | "number" | "number_gte",
  value: QueryValue,
  given: QueryValue,
): BlockConstraint {
  if (kind === "hash" && value.kind === "String") {
    const digits = hexDigits(value.value);
    if (wholeBytes.test(digits)) return { kind, hash: digits.toLowerCase() };
  }
  if (kind !== "hash" && value.kind === "Int") return { kind, number: Number(value.value) };
  throw refused(given);
}

function refused(given: QueryValue): QueryError {
  const message = `Invalid value provided for argument \`block\`: ${debugText(given)}`;
  return new QueryError(message, { position: nowhere });
}
