import { DeliverySink } from "../delivery/delivery-sink.js";
import { type OpenSink, secretOf } from "../opening.js";
import { SinkError } from "../sink.js";
import { BulkCarrier } from "./bulk-carrier.js";
import { readSearchServer } from "./search-secret.js";

/** Opens a sink that writes documents. @throws SinkError */
export const openElasticsearch: OpenSink<"elasticsearch"> = async (
  { name, definition, schema },
  { flow },
  world,
) => {
  const { settings } = definition;
  const secret = settings.secret_name?.value ?? "";
  const server = readSearchServer(secretOf(secret, world));
  if (!server)
    throw new SinkError(
      `Secret ${secret} is not the address of a search server. Its value looks like https://user:password@host:9200.`,
      false,
    );
  if (schema.key.length === 0)
    throw new SinkError("Documents need a key. Name its columns in primary_key.", false);
  const index = settings.index?.value ?? "";
  const batchSize = Math.max(1, settings.batch_size?.value ?? 1_000);
  const target = `${server.url}/${index}`;
  const state = await world.openState({ flow, sink: name, target, columns: schema.columns });
  const { outgoing, clock } = world;
  const carrier = new BulkCarrier({ server, index, batchSize, last: state.kept.last, outgoing, clock });
  try {
    if (state.kept.last === 0) await carrier.refuseForeign();
  } catch (error) {
    await state.close();
    throw error;
  }
  return new DeliverySink({
    ...{ state, carrier, schema, batchSize, gathers: true, clock },
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
  });
};
