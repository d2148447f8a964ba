import { httpAuthFault, readHttpAuth, type SecretHeader } from "../../http/http-auth.js";
import { DeliverySink } from "../delivery/delivery-sink.js";
import { type OpenSink, type SinkWorld, secretOf } from "../opening.js";
import { SinkError } from "../sink.js";
import { WebhookCarrier } from "./webhook-carrier.js";

/** Opens a sink that posts rows. @throws SinkError */
export const openWebhook: OpenSink<"webhook"> = async ({ name, definition, schema }, { flow }, world) => {
  const { settings } = definition;
  const headers = Object.fromEntries(
    (settings.headers ?? []).map((entry) => [entry.name.value, entry.value.value]),
  );
  const secret = settings.secret_name && secretHeader(settings.secret_name.value, headers, world);
  const url = settings.url?.value ?? "";
  const batchSize = Math.max(1, settings.batch_size?.value ?? 1_000);
  const state = await world.openState({ flow, sink: name, target: targetOf(url), columns: schema.columns });
  const carrier = new WebhookCarrier({
    ...{ url, headers, secret, batchSize, outgoing: world.outgoing, clock: world.clock },
    isOnePerRequest: settings.one_row_per_request?.value ?? false,
    stateId: state.kept.id,
  });
  return new DeliverySink({
    ...{ state, carrier, schema, batchSize, gathers: true, clock: world.clock },
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
  });
};

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

/** An address without what may be a key: a new key is no new place. */
function targetOf(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}
