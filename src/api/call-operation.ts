import type { World } from "../base/world.js";
import { parseAddress } from "../web/http/address.js";
import { HttpError } from "../web/http/http-error.js";
import type { HttpBody, Part } from "../web/http/http-request.js";
import { type SendOptions, send } from "../web/http/send.js";
import { type Operation, type OperationId, operationOf } from "./api-document.js";
import { checkAnswer } from "./check-answer.js";
import type { Operations } from "./contract.js";
import { readProblem } from "./read-problem.js";

/** The address of an API, the credentials and how requests are sent. */
export interface ApiConnection extends SendOptions {
  /** Base address; without a path, `/api/v1` is appended. */
  readonly url: string;
  readonly token: string;
  readonly world: World;
}

/**
 * The input of an operation: path, query and body as the contract declares them, or a form instead of the
 * body.
 */
export type OperationInput<Id extends OperationId> = PartOf<Id, "path"> &
  Partial<PartOf<Id, "query"> & PartOf<Id, "body">> &
  Extras;

type PartOf<Id extends OperationId, Name extends "path" | "query" | "body"> = Pick<
  Operations[Id],
  Extract<keyof Operations[Id], Name>
>;

/** Input that the contract does not describe. */
interface Extras {
  /** Replaces the body where the API takes a form. */
  readonly form?: { readonly parts: readonly Part[]; readonly onProgress?: Progress | undefined };
  /** Secrets in the request, apart from the token, that must never be shown. */
  readonly secrets?: readonly string[];
  /**
   * Milliseconds without progress before the request fails, where the operation needs longer than the
   * default.
   */
  readonly timeout?: number | undefined;
}

/** The same for any operation. Query parameters that are undefined are not sent. */
export interface AnyInput extends Extras {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** Called with the number of bytes sent and their total. */
export type Progress = (sent: number, total: number) => void;

/**
 * Calls an operation and checks the response against the contract. Only reading operations are retried.
 * @throws ApiProblem when the API refuses
 * @throws ApiAnswerError when the response does not match the contract
 * @throws HttpError when there is no response
 */
export async function callOperation<Id extends OperationId>(
  connection: ApiConnection,
  id: Id,
  input: OperationInput<Id>,
): Promise<Operations[Id]["answer"]> {
  const operation = operationOf(id);
  const { url, shown } = addressOf(connection.url, operation, input);
  const body = bodyOf(input);
  const answer = await send(
    {
      method: operation.method,
      url,
      shown,
      headers: {
        accept: "application/json, application/problem+json",
        authorization: `Bearer ${connection.token}`,
        "user-agent": "graphloom",
      },
      ...(body && { body }),
      retry: operation.method === "GET",
    },
    connection.world,
    { ...connection, ...(input.timeout !== undefined && { timeout: input.timeout }) },
  );
  const secrets = [connection.token, ...(input.secrets ?? [])].filter((secret) => secret !== "");
  if (answer.status < 200 || answer.status > 299) throw readProblem(id, answer, secrets);
  return checkAnswer({ ...operation, id }, answer.text, secrets);
}

function bodyOf({ body, form }: AnyInput): HttpBody | undefined {
  if (form) return { kind: "multipart", ...form };
  return body && { kind: "json", value: body };
}

/** The URL to send to, and the part of it that may be shown. */
function addressOf(
  base: string,
  { path }: Operation,
  input: AnyInput,
): { readonly url: string; readonly shown: string } {
  // `send` reports a URL that cannot be parsed.
  if (!parseAddress(base)) return { url: base, shown: "" };
  const url = new URL(base);
  const prefix = url.pathname.replace(/\/+$/, "") || "/api/v1";
  url.pathname = prefix + path.replace(/\{(\w+)\}/g, (_, name: string) => segment(input.path?.[name] ?? ""));
  const shown = new URL(url.pathname, url);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value === undefined) continue;
    url.searchParams.set(name, String(value));
    shown.searchParams.set(name, String(value));
  }
  return { url: url.href, shown: `${shown.protocol}//${shown.host}${shown.pathname}${shown.search}` };
}

/** One segment of a path. A segment of dots alone would lead to another path, even when it is encoded. */
function segment(name: string): string {
  if (!/^\.{0,2}$/.test(name)) return encodeURIComponent(name);
  const reason = `"${name}" cannot be a name: give one that is more than dots`;
  throw new HttpError("unsendable", { message: reason, reason }, false);
}
