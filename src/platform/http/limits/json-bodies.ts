import type { FastifyInstance } from "fastify";
import { nestsDeeper } from "../../../base/text/json-depth.js";
import { unstorableIn } from "../../../base/text/unstorable.js";
import { type FieldError, Problem } from "../../problem.js";

/** Maximum nesting depth of a body. */
const deepest = 50;

/**
 * Accepts only JSON bodies, and empty ones: some clients declare JSON when they send no body.
 * @param bodyLimit bytes; by default the limit of the server
 */
export function acceptEmptyJson(app: FastifyInstance, bodyLimit?: number): void {
  const parse = app.getDefaultJsonParser("error", "error");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/json",
    { parseAs: "string", ...(bodyLimit !== undefined && { bodyLimit }) },
    (request, text, done) => {
      if (text === "") done(null, undefined);
      else if (nestsDeeper(String(text), deepest + 1)) done(tooDeep());
      else parse(request, text as string, done);
    },
  );
}

function tooDeep(): Problem {
  const errors = [{ message: `is nested more than ${deepest} levels deep` }];
  return new Problem("bad-request", "The body is nested too deeply.", { errors });
}

/**
 * Fields that no database can store unchanged: strings and names with a zero byte or half a surrogate pair, and too deep
 * nesting.
 */
export function unkeepable(value: unknown, place: readonly string[] = []): readonly FieldError[] {
  const wrong = (message: string): readonly FieldError[] => [{ field: place.join("."), message }];
  if (typeof value === "string") {
    const fault = unkeepableText(value);
    return fault === undefined ? [] : wrong(fault);
  }
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  if (place.length === deepest) return wrong("is nested too deeply");
  return Object.entries(value).flatMap(([name, each]) => {
    const fault = unkeepableText(name);
    return fault === undefined
      ? unkeepable(each, [...place, name])
      : wrong(`has a field whose name ${fault}`);
  });
}

/** Explains why no database can store a text unchanged, as a predicate. */
function unkeepableText(text: string): string | undefined {
  const found = unstorableIn(text);
  return found && `contains ${found.what}`;
}

/** The sentence for invalid fields. @param part `body` */
export function sentenceOf(part: string, errors: readonly FieldError[]): string {
  const fields = [...new Set(errors.flatMap(({ field }) => (field === undefined ? [] : [field])))];
  return fields.length === 0
    ? `The ${part} is not valid.`
    : `The ${part} has invalid fields: ${fields.join(", ")}.`;
}
