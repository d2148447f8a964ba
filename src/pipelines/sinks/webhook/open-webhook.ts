import { httpAuthFault, readHttpAuth, type SecretHeader } from "../../http/http-auth.js";
import { SinkError } from "../../state/sink-error.js";
import { type Delivery, deliveryAccess } from "../delivery/delivery-access.js";
import { type PlannedSinkOf, type SinkOwner, type SinkWorld, secretOf } from "../opening.js";
import type { WebhookShape } from "./shape.js";
import { WebhookCarrier } from "./webhook-carrier.js";

/** How a webhook is reached. */
export const webhookAccess = deliveryAccess(webhookDelivery);

/** What a webhook gets, and where its state is. @throws SinkError */
function webhookDelivery(
  { name, definition, schema }: PlannedSinkOf<WebhookShape>,
  { flow, sources }: SinkOwner,
  world: SinkWorld,
): Delivery {
  const { settings } = definition;
  const headers = Object.fromEntries(
    (settings.headers ?? []).map((entry) => [entry.name.value, entry.value.value]),
  );
  const secret = settings.secret_name && secretHeader(settings.secret_name.value, headers, world);
  const url = settings.url?.value ?? "";
  const batchSize = Math.max(1, settings.batch_size?.value ?? 1_000);
  const { outgoing, clock } = world;
  return {
    schema,
    sources,
    state: { flow, sink: name, target: targetOf(url), columns: schema.columns },
    batchSize,
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
    parks: settings.on_error?.value === "park",
    carrier: ({ kept }) =>
      new WebhookCarrier({
        url,
        headers,
        secret,
        batchSize,
        outgoing,
        clock,
        isOnePerRequest: settings.one_row_per_request?.value ?? false,
        stateId: kept.id,
      }),
  };
}

function secretHeader(
  name: string,
  headers: Readonly<Record<string, string>>,
  world: Pick<SinkWorld, "secret">,
): SecretHeader | undefined {
  const header = readHttpAuth(secretOf(name, world));
  const fault = httpAuthFault(name, header, Object.keys(headers));
  if (fault !== undefined) throw new SinkError(fault, false);
  return header;
}

/** An address without what may be a key: a new key does not make a new place. */
function targetOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
