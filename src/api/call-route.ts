import type { World } from "../base/world.js";
import { parseAddress } from "../web/http/address.js";
import { HttpError } from "../web/http/http-error.js";
import type { HttpAnswer, HttpBody, HttpRequest, Part } from "../web/http/http-request.js";
import { type SendOptions, send } from "../web/http/send.js";
import { readProblem } from "./answers/read-problem.js";
import type { AnyOperationId } from "./operation-method.js";

/** The address of an API, the credentials and how requests are sent. */
export interface ApiConnection extends SendOptions {
  /** Base address; without a path, `/api/v1` is appended. */
  readonly url: string;
  /** Empty while the user is logged out. */
  readonly token: string;
  /** The project of the requests, for a token whose owner may belong to several. */
  readonly project?: string | undefined;
  readonly world: World;
}

/** Called with the number of bytes sent and their total. */
export type Progress = (sent: number, total: number) => void;

/** Input that no operation's description covers. */
export interface Extras {
  /** Replaces the body where the API takes a form. */
  readonly form?: { readonly parts: readonly Part[]; readonly onProgress?: Progress | undefined };
  /** Secrets in the request, other than the token, that must never be shown. */
  readonly secrets?: readonly string[];
  /** Milliseconds without progress before the request fails, if the operation needs more than the default. */
  readonly timeout?: number | undefined;
}

/** The input of any operation. Query parameters that are undefined are not sent. */
export interface AnyInput extends Extras {
  readonly path?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: object;
  /** A body that is a file. */
  readonly file?: { readonly media: string; readonly bytes: Uint8Array };
}

/** The operation to call, and its address. */
export interface Route {
  readonly id: AnyOperationId;
  readonly method: HttpRequest["method"];
  /** Path template below the base address: `/subgraphs/{name}/{version}`. */
  readonly path: string;
}

/** The body of a successful response, and the secrets of the request that it may repeat and no error may show. */
export interface RouteAnswer {
  readonly text: string;
  readonly secrets: readonly string[];
}

/**
 * Calls an operation. Only reading operations are retried.
 * @throws ApiProblem if the API refuses
 * @throws HttpError if there is no response
 */
export async function callRoute(
  connection: ApiConnection,
  route: Route,
  input: AnyInput,
): Promise<RouteAnswer> {
  const { answer, secrets } = await sendRoute(connection, route, input, "application/json");
  return { text: answer.text, secrets };
}

/** Calls an operation that answers with a file. Rejects as `callRoute` does. */
export async function callForBytes(
  connection: ApiConnection,
  route: Route,
  input: AnyInput,
): Promise<Pick<HttpAnswer, "bytes" | "headers">> {
  return (await sendRoute(connection, route, input, "*/*")).answer;
}

async function sendRoute(
  connection: ApiConnection,
  route: Route,
  input: AnyInput,
  media: string,
): Promise<{ readonly answer: HttpAnswer; readonly secrets: readonly string[] }> {
  const { token, world } = connection;
  const answer = await send(requestOf(connection, route, input, media), world, {
    ...connection,
    ...(input.timeout !== undefined && { timeout: input.timeout }),
  });
  const secrets = [token, ...(input.secrets ?? [])].filter((secret) => secret !== "");
  if (answer.status < 200 || answer.status > 299) throw readProblem(route.id, answer, secrets);
  return { answer, secrets };
}

/**
 * The request of an operation.
 * @param media the media type of the expected answer
 */
export function requestOf(
  { url: base, token, project }: ApiConnection,
  { method, path }: Route,
  input: AnyInput,
  media: string,
): HttpRequest {
  const { url, shown } = addressOf(base, path, input);
  const body = bodyOf(input);
  return {
    method,
    url,
    shown,
    headers: {
      accept: `${media}, application/problem+json`,
      ...(token !== "" && { authorization: `Bearer ${token}` }),
      ...(project !== undefined && { "graphloom-project": project }),
      "user-agent": "graphloom",
    },
    ...(body && { body }),
    retry: method === "GET",
  };
}

function bodyOf({ body, form, file }: AnyInput): HttpBody | undefined {
  if (form) return { kind: "multipart", ...form };
  if (file) return { kind: "bytes", ...file };
  return body && { kind: "json", value: body };
}

/** The URL to send to, and the part that may be shown. */
function addressOf(
  base: string,
  path: string,
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

/** One segment of a path. A segment of only dots would lead to another path, even if encoded. */
function segment(name: string): string {
  if (!/^\.{0,2}$/.test(name)) return encodeURIComponent(name);
  const reason = `"${name}" is not a valid name: it needs a character other than a dot`;
  throw new HttpError("unsendable", { message: reason, reason }, false);
}
