import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { apiSchemas, type Operation, type Parameter } from "../../api/api-document.js";
import { ownSchemas } from "../../api/own-schemas.js";
import { InternalError } from "../../base/invariant.js";

const base = "management-api";
/** RFC 3339, with a zone. */
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Judges JSON as it is. */
const strict = createJudge(false);
/** Judges texts of addresses: numbers and the like are made of them first. */
const coercing = createJudge(true);

function createJudge(coerceTypes: boolean): Ajv2020 {
  const isDate = (text: string): boolean => dateTime.test(text) && !Number.isNaN(Date.parse(text));
  return new Ajv2020({ ...ownSchemas, allErrors: true, coerceTypes })
    .addFormat("date-time", isDate)
    .addSchema({ $id: base, components: { schemas: apiSchemas } });
}

/** Judges what has the schema of a `$ref` of the contract. */
export function judgeOf(reference: string): ValidateFunction {
  const known = strict.getSchema(`${base}${reference}`);
  if (!known) throw new InternalError(`the contract has no ${reference}`);
  return known;
}

/** What was compiled for the parameters of operations. */
const compiled = new Map<string, ValidateFunction | undefined>();

/** Judges the parameters of a path or a query, and turns their texts into what they mean. */
export function parametersJudge(operation: Operation, place: Parameter["in"]): ValidateFunction | undefined {
  const name = `${place} ${operation.id}`;
  if (!compiled.has(name)) compiled.set(name, compileParameters(operation, place));
  return compiled.get(name);
}

function compileParameters({ parameters }: Operation, place: Parameter["in"]): ValidateFunction | undefined {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return undefined;
  return coercing.compile({
    type: "object",
    properties: Object.fromEntries(own.map(({ name, schema }) => [name, absolute(schema)])),
    required: own.flatMap(({ name, required }) => (required ? [name] : [])),
  });
}

/** A schema that is read outside of the document. */
function absolute(schema: Parameter["schema"]): object {
  return typeof schema.$ref === "string" ? { $ref: `${base}${schema.$ref}` } : schema;
}

/**
 * Holds what an operation answers against the contract: what does not fit it is a mistake of ours, and nobody's data.
 * @throws InternalError when it does not fit
 */
export function checkAnswer({ id, answer }: Operation, value: unknown): void {
  if (answer === undefined) return;
  const judge = judgeOf(answer);
  if (judge(value)) return;
  const [fault] = judge.errors ?? [];
  throw new InternalError(
    `the answer to ${id} does not fit the contract: ${fault?.instancePath} ${fault?.message}`,
  );
}
