import type { World } from "../base/world.js";
import { parseAddress } from "../web/http/address.js";
import { HttpError } from "../web/http/http-error.js";
import type { HttpBody, Part } from "../web/http/http-request.js";
import { type SendOptions, send } from "../web/http/send.js";
import { type Operation, type OperationId, operationOf } from "./api-document.js";
import { checkAnswer } from "./check-answer.js";
import type { Operations } from "./contract.js";
import { readProblem } from "./read-problem.js";

/** An API and what is needed to talk to it. */
export interface ApiConnection extends SendOptions {
  /** Base address; without a path, `/api/v1` is appended. */
  readonly url: string;
  readonly token: string;
  readonly world: World;
}

/** What an operation is asked with: what the contract says, or a form in place of the body. */
export type OperationInput<Id extends OperationId> = PartOf<Id, "path"> &
  Partial<PartOf<Id, "query"> & PartOf<Id, "body">> &
  Extras;

type PartOf<Id extends OperationId, Name extends "path" | "query" | "body"> = Pick<
  Operations[Id],
  Extract<keyof Operations[Id], Name>
>;

/** What goes along. */
interface Extras {
  /** In place of the body, where the API takes a form. */
  readonly form?: { readonly parts: readonly Part[]; readonly onProgress?: Progress | undefined };
  /** What is sent and must never be shown, apart from the token. */
  readonly secrets?: readonly string[];
  /** Milliseconds without progress, where it has to be more than usual. */
  readonly timeout?: number | undefined;
}

/** The same for any operation. What is undefined in a query is not sent. */
export interface AnyInput extends Extras {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
}

/** Told how many bytes were sent, and how many there are. */
export type Progress = (sent: number, total: number) => void;

/**
 * Asks the API for an operation and checks what comes back. Only reading operations are asked for again.
 * @throws ApiProblem when the API refuses
 * @throws ApiAnswerError when the answer is not what the contract promises
 * @throws HttpError when there is no answer
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

/** Where to send it, and what may be shown of that. */
function addressOf(
  base: string,
  { path }: Operation,
  input: AnyInput,
): { readonly url: string; readonly shown: string } {
  // An address that is none is told by whoever sends.
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

/** One segment of a path. Dots alone would lead to another path, even when they are encoded. */
function segment(name: string): string {
  if (!/^\.{0,2}$/.test(name)) return encodeURIComponent(name);
  const reason = `"${name}" cannot be a name: give one that is more than dots`;
  throw new HttpError("unsendable", { message: reason, reason }, false);
}
