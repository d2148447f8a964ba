import { type GraphQLOutputType, getNamedType, getNullableType, isListType, isNonNullType } from "graphql";
import { isRecord } from "../../base/json-value.js";
import { QueryError, QueryErrors } from "../query-error.js";
import type { SelectedField, Selection } from "../request/selection.js";

/** An object in memory whose fields are asked for: values, or what computes them from the field's arguments. */
export type PlainObject = Readonly<Record<string, unknown>>;

/**
 * What is asked for of an object in memory.
 * @throws QueryErrors for nulls where there must be none
 */
export function plainObject(
  object: PlainObject,
  selection: Selection,
  type: string,
): Record<string, unknown> {
  const errors: QueryError[] = [];
  const answer = answerObject();
  for (const field of selection.fieldsOf(type)) {
    answer[field.key] =
      field.name === "__typename"
        ? type
        : completed(plainValue(object, field), field, field.definition.type, errors);
  }
  if (errors.length > 0) throw new QueryErrors(errors);
  return answer;
}

/** The value of a field, computed if need be. */
export function plainValue(object: PlainObject, field: SelectedField): unknown {
  const own = object[field.name];
  return typeof own === "function" ? own(field) : own;
}

function completed(
  value: unknown,
  field: SelectedField,
  type: GraphQLOutputType,
  errors: QueryError[],
): unknown {
  if (value === null || value === undefined) {
    if (isNonNullType(type)) errors.push(nullFor(field));
    return null;
  }
  const nullable = getNullableType(type);
  if (isListType(nullable) && Array.isArray(value)) {
    return value.map((item: unknown) => completed(item, field, nullable.ofType, errors));
  }
  if (!field.selection || !isRecord(value)) return value;
  return plainObject(value, field.selection, getNamedType(type).name);
}

/** That a field has no value although it must have one. */
export function nullFor({ name, position }: SelectedField): QueryError {
  return new QueryError(`Null value resolved for non-null field \`${name}\``, { position });
}

/** Inherits nothing. Objects of a class are written faster than those without one. */
class AnswerObject {
  readonly [key: string]: unknown;
}
Object.setPrototypeOf(AnswerObject.prototype, null);

/** An object that any key can be put into, `__proto__` among them. */
export function answerObject(): Record<string, unknown> {
  return new AnswerObject();
}
