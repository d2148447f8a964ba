import { redact } from "../../web/http/address.js";
import type { HttpAnswer } from "../../web/http/http-request.js";
import type { AnyOperationId } from "../operation-method.js";
import { isPage } from "./is-page.js";
import { ApiProblem, type FieldProblem } from "./problem.js";

/** Maximum lengths of foreign texts, in characters; for `fields`, their number. */
const limits = { title: 200, detail: 1000, field: 100, message: 300, address: 500, fields: 20, body: 300 };

/**
 * Reads the problem document of an error response. Any content type is accepted: a body that is not a problem
 * document yields the name of the status and the beginning of the body.
 * @param secrets secrets of the request that the API may repeat and no error may show
 */
export function readProblem(
  operation: AnyOperationId,
  answer: HttpAnswer,
  secrets: readonly string[],
): ApiProblem {
  const { status, attempts, retryAfter } = answer;
  const text = redact(answer.text, secrets);
  const document = parseObject(text);
  const member = (name: "title" | "detail" | "instance", most: number): string | undefined => {
    const value = document?.[name];
    return typeof value === "string" && value.trim() !== "" ? clip(value, most) : undefined;
  };
  const detail = document ? member("detail", limits.detail) : clip(text.trim(), limits.body) || undefined;
  const instance = member("instance", limits.address);
  return new ApiProblem({
    status,
    title: member("title", limits.title) ?? (clip(answer.statusText, limits.title) || "The API refused"),
    ...(detail !== undefined && { detail }),
    type: typeOf(document?.type),
    ...(instance !== undefined && { instance }),
    errors: readFields(document?.errors),
    isPage: isPage(text),
    operation,
    attempts,
    ...(retryAfter !== undefined && { retryAfter }),
  });
}

/** A truncated URI is useless, so a URI that is too long is dropped. */
function typeOf(value: unknown): string {
  const isUsable = typeof value === "string" && value !== "" && value.length <= limits.address;
  return isUsable ? value : "about:blank";
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : undefined;
  } catch {
    // Not JSON: the caller shows the text instead.
    return undefined;
  }
}

function readFields(value: unknown): readonly FieldProblem[] {
  if (!Array.isArray(value)) return [];
  const fields = value.slice(0, limits.fields).flatMap(readField);
  const more = value.length - limits.fields;
  return more > 0 ? [...fields, { message: `and ${more} more` }] : fields;
}

function readField(item: unknown): readonly FieldProblem[] {
  if (typeof item === "string") return [{ message: clip(item, limits.message) }];
  if (typeof item !== "object" || item === null || !("message" in item)) return [];
  if (typeof item.message !== "string") return [];
  const message = clip(item.message, limits.message);
  const field = "field" in item && typeof item.field === "string" ? item.field : "";
  const named = field === "" ? { message } : { field: clip(field, limits.field), message };
  return [{ ...named, ...readPlace(item) }];
}

/** The position of a finding about a definition, if it has one. */
function readPlace(item: object): Omit<FieldProblem, "field" | "message"> {
  const { code, line, column, length, hint } = item as Readonly<Record<string, unknown>>;
  return {
    ...(typeof code === "string" && { code: clip(code, limits.field) }),
    ...(Number.isSafeInteger(line) && { line: Number(line) }),
    ...(Number.isSafeInteger(column) && { column: Number(column) }),
    ...(Number.isSafeInteger(length) && { length: Number(length) }),
    ...(typeof hint === "string" && { hint: clip(hint, limits.message) }),
  };
}

function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text;
}
