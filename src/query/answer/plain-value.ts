import { type GraphQLOutputType, getNamedType, getNullableType, isListType, isNonNullType } from "graphql";
import { isRecord } from "../../base/text/json-value.js";
import { QueryError, QueryErrors } from "../query-error.js";
import type { SelectedField, Selection } from "../request/selection.js";

/** An object in memory that is queried. Its fields are values, or functions of the field's arguments. */
export type PlainObject = Readonly<Record<string, unknown>>;

/** Selects the queried fields of an object in memory. @throws QueryErrors for nulls in non-null fields */
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

/** The value of a field, computed if necessary. */
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

/** The error that a non-null field has no value. */
export function nullFor({ name, position }: SelectedField): QueryError {
  return new QueryError(`Null value resolved for non-null field \`${name}\``, { position });
}

/** Inherits nothing. Writing objects of a class is faster than writing objects without a prototype. */
class AnswerObject {
  readonly [key: string]: unknown;
}
Object.setPrototypeOf(AnswerObject.prototype, null);

/** An object that accepts any key, including `__proto__`. */
export function answerObject(): Record<string, unknown> {
  return new AnswerObject();
}
