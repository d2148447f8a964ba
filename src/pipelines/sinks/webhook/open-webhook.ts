import { httpAuthFault, readHttpAuth, type SecretHeader } from "../../http/http-auth.js";
import { SinkError } from "../../state/sink-error.js";
import type { AuditedDelivery } from "../delivery/audit-delivery.js";
import { DeliverySink } from "../delivery/delivery-sink.js";
import { forgetSent, openSentState, parkedUnsent } from "../delivery/open-state.js";
import {
  type OpenSink,
  type PlannedSinkOf,
  type ReadParked,
  type ResetSink,
  type SinkOwner,
  type SinkWorld,
  secretOf,
} from "../opening.js";
import type { WebhookShape } from "./shape.js";
import { WebhookCarrier } from "./webhook-carrier.js";

/** Opens a sink that posts rows. @throws SinkError */
export const openWebhook: OpenSink<WebhookShape> = async (planned, owner, world) => {
  const { state: kept, schema, carrier } = webhookDelivery(planned, owner, world);
  const { settings } = planned.definition;
  const state = await openSentState(world, kept, owner.lineage);
  return new DeliverySink({
    state,
    carrier: carrier(state),
    schema,
    parks: settings.on_error?.value === "park",
    clock: world.clock,
    batchSize: batchSizeOf(planned),
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
  });
};

/** Forgets what was sent. @throws SinkError */
export const resetWebhook: ResetSink<WebhookShape> = (planned, owner, world) =>
  forgetSent(world, webhookDelivery(planned, owner, world).state);

/** Reads the parked changes. @throws SinkError */
export const parkedOfWebhook: ReadParked<WebhookShape> = (planned, owner, world) =>
  parkedUnsent(world, webhookDelivery(planned, owner, world).state);

/** What a webhook gets, and where its state is. @throws SinkError */
export function webhookDelivery(
  planned: PlannedSinkOf<WebhookShape>,
  { flow, sources }: SinkOwner,
  world: SinkWorld,
): AuditedDelivery {
  const { name, definition, schema } = planned;
  const { settings } = definition;
  const headers = Object.fromEntries(
    (settings.headers ?? []).map((entry) => [entry.name.value, entry.value.value]),
  );
  const secret = settings.secret_name && secretHeader(settings.secret_name.value, headers, world);
  const url = settings.url?.value ?? "";
  const { outgoing, clock } = world;
  return {
    schema,
    sources,
    state: { flow, sink: name, target: targetOf(url), columns: schema.columns },
    carrier: ({ kept }) =>
      new WebhookCarrier({
        url,
        headers,
        secret,
        batchSize: batchSizeOf(planned),
        outgoing,
        clock,
        isOnePerRequest: settings.one_row_per_request?.value ?? false,
        stateId: kept.id,
      }),
  };
}

function batchSizeOf({ definition: { settings } }: PlannedSinkOf<WebhookShape>): number {
  return Math.max(1, settings.batch_size?.value ?? 1_000);
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
