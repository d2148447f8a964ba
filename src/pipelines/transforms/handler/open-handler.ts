import { secretVariable } from "../../definition/secret-variable.js";
import { httpAuthFault, readHttpAuth, type SecretHeader } from "../../http/http-auth.js";
import type { PlannedTransformOf, TransformWorld } from "../opening.js";
import { type RowTransform, TransformError } from "../row-transform.js";
import { HandlerTransform } from "./handler-transform.js";

/** Milliseconds of a day; timers cannot wait much longer. */
const longestTimeout = 86_400_000;

/** Opens a handler, without sending a request yet. @throws TransformError */
export async function openHandler(
  { name, definition: { settings }, input = [], schema }: PlannedTransformOf<"handler">,
  world: TransformWorld,
): Promise<RowTransform> {
  const headers = Object.fromEntries(
    (settings.headers ?? []).map((entry) => [entry.name.value, entry.value.value]),
  );
  const payload = settings.payload_columns?.map(({ value }) => value.toLowerCase());
  const names = input.map((column) => column.name);
  return new HandlerTransform({
    name,
    url: settings.url?.value ?? "",
    headers,
    secret: settings.secret_name && secretHeader(settings.secret_name.value, headers, world),
    input,
    sent: payload ? names.filter((column) => payload.includes(column.toLowerCase())) : names,
    output: schema.columns,
    isOnePerRequest: settings.one_row_per_request?.value ?? false,
    batchSize: Math.max(1, settings.batch_size?.value ?? 100),
    timeout: Math.min(Math.max(1, settings.timeout_ms?.value ?? 300_000), longestTimeout),
    outgoing: world.outgoing,
    clock: world.clock,
  });
}

function secretHeader(
  name: string,
  headers: Readonly<Record<string, string>>,
  world: Pick<TransformWorld, "secret">,
): SecretHeader | undefined {
  const secret = world.secret(name);
  if (secret === undefined)
    throw new TransformError(
      `There is no secret ${name}. Set the environment variable ${secretVariable(name)} to its value.`,
      false,
    );
  const header = readHttpAuth(secret);
  const fault = httpAuthFault(name, header, Object.keys(headers));
  if (fault !== undefined) throw new TransformError(fault, false);
  return header;
}
