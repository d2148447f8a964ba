import type { ServerTls } from "../../../../base/server-tls.js";
import { foreignText } from "../../../../base/text/foreign-text.js";
import { isRecord, parseJson } from "../../../../base/text/json-value.js";
import type { World } from "../../../../base/world.js";
import { parseAddress } from "../../../../web/http/address.js";
import type { Outgoing } from "../../../../web/outgoing/outgoing.js";
import { post, type Reply } from "../../../http/post.js";
import { SinkError } from "../../../state/sink-error.js";

/** Where a schema registry is, and who uses it. */
export interface SchemaRegistryOptions {
  readonly url: string;
  readonly login?: { readonly user: string; readonly password: string } | undefined;
  /** How to check its certificate; fully by default. */
  readonly tls?: ServerTls | undefined;
  readonly outgoing: Pick<Outgoing, "send">;
  readonly clock: Pick<World, "now">;
}

const mediaType = "application/vnd.schemaregistry.v1+json";
/** Milliseconds for an answer. */
const timeout = 30_000;
/** Bytes of an answer, which repeats the schema. */
const mostBytes = 4 * 1024 * 1024;
/** The largest id that a record has room for. */
const largestId = 0x7fff_ffff;

type Failure = Extract<Reply, { readonly kind: "failed" }>;

/**
 * The id of a schema under a subject, such as `transfers-value`. A schema that the subject has is found; another one is
 * registered, if the registry finds it compatible.
 * @param schema its JSON
 * @throws SinkError
 */
export async function schemaId(
  options: SchemaRegistryOptions,
  subject: string,
  schema: string,
): Promise<number> {
  const path = `subjects/${encodeURIComponent(subject)}`;
  const found = await send(options, path, schema);
  if (found.kind === "accepted") return idOf(found.body);
  if (found.status !== 404) throw failureOf(found, subject);
  const registered = await send(options, `${path}/versions`, schema);
  if (registered.kind === "accepted") return idOf(registered.body);
  throw failureOf(registered, subject);
}

/** The schema with an id, as JSON; `undefined` if the registry has none. @throws SinkError */
export async function schemaWithId(options: SchemaRegistryOptions, id: number): Promise<unknown> {
  const found = await send(options, `schemas/ids/${id}`);
  if (found.kind === "failed" && found.status === 404) return undefined;
  if (found.kind === "failed") throw new SinkError(`The schema registry ${found.why}.`, found.isTemporary);
  const answer = parseJson(Buffer.from(found.body).toString());
  const schema = isRecord(answer) && typeof answer.schema === "string" ? parseJson(answer.schema) : undefined;
  if (schema !== undefined) return schema;
  throw new SinkError(
    "The schema registry does not answer with a schema. Is schema_registry_url the address of a registry?",
    false,
  );
}

async function send(
  { url, login, tls, outgoing, clock }: SchemaRegistryOptions,
  path: string,
  schema?: string,
): Promise<Reply> {
  const address = parseAddress(url);
  const authorization = login ? basic(login.user, login.password) : address?.authorization;
  return post(
    {
      url: `${(address?.href ?? url).replace(/\/+$/, "")}/${path}`,
      headers: { accept: mediaType, "content-type": mediaType },
      secret: authorization === undefined ? undefined : { name: "authorization", value: authorization },
      secrets: [...(address?.credentials ?? []), ...(login ? [login.password] : [])],
      ...(schema !== undefined && { body: JSON.stringify({ schema }) }),
      tls,
      timeout,
      mostBytes,
      excess: "refuse",
    },
    outgoing,
    clock.now,
  );
}

function basic(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}

function idOf(body: Uint8Array): number {
  const answer = parseJson(Buffer.from(body).toString());
  const id = isRecord(answer) ? answer.id : undefined;
  if (Number.isSafeInteger(id) && (id as number) >= 0 && (id as number) <= largestId) return id as number;
  throw new SinkError(
    "The schema registry does not answer with the id of a schema. Is schema_registry_url that of a registry?",
    false,
  );
}

function failureOf({ status, body, why, isTemporary }: Failure, subject: string): SinkError {
  switch (status) {
    case 401:
    case 403:
      return new SinkError(
        `The schema registry refuses the user, or does not let it register a schema for ${subject}: it ${why}. Check schemaRegistryUsername and schemaRegistryPassword in the secret.`,
        false,
      );
    case 404:
      return new SinkError(`The schema registry ${why}. Is schema_registry_url that of a registry?`, false);
    case 409:
      return new SinkError(
        `The columns of the sink do not fit the schemas that subject ${subject} already has: ${foreignText(messageOf(body))}. Restore the columns, choose another topic, or change the compatibility of the subject.`,
        false,
      );
    default:
      return new SinkError(`The schema registry ${why}.`, isTemporary);
  }
}

/** What a registry says about a refusal. */
function messageOf(body: string): string {
  const answer = parseJson(body);
  const message = isRecord(answer) ? answer.message : undefined;
  return typeof message === "string" ? message.replace(/\.$/, "") : "it gives no reason";
}
