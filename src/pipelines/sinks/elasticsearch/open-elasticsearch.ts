import { SinkError } from "../../state/sink-error.js";
import type { StateReading } from "../../state/state-store.js";
import { type Delivery, deliveryAccess } from "../delivery/delivery-access.js";
import { type PlannedSinkOf, type SinkOwner, type SinkWorld, secretOf } from "../opening.js";
import { BulkCarrier } from "./bulk-carrier.js";
import { readSearchServer } from "./search-secret.js";
import type { ElasticsearchShape } from "./shape.js";
import { StoredDocuments } from "./stored-documents.js";

/** How an index is reached. */
export const elasticsearchAccess = deliveryAccess(documentDelivery);

/** What an index gets, and where the state of its sink is. @throws SinkError */
function documentDelivery(
  { name: sink, definition: { settings }, schema }: PlannedSinkOf<ElasticsearchShape>,
  { flow, sources }: SinkOwner,
  world: SinkWorld,
): Delivery {
  const secret = settings.secret_name?.value ?? "";
  const server = readSearchServer(secretOf(secret, world));
  if (!server)
    throw new SinkError(
      `Secret ${secret} is not the address of a search server. Its value looks like https://user:password@host:9200.`,
      false,
    );
  if (schema.key.length === 0)
    throw new SinkError("Documents need a key. Name its columns in primary_key.", false);
  const name = settings.index?.value ?? "";
  const batchSize = Math.max(1, settings.batch_size?.value ?? 1_000);
  const { outgoing, clock } = world;
  const index = { server, index: name, outgoing, clock };
  const state = { flow, sink, target: `${server.url}/${name}`, columns: schema.columns };
  const carrier = ({ kept }: StateReading): BulkCarrier =>
    new BulkCarrier({ ...index, batchSize, last: kept.last });
  return {
    schema,
    sources,
    state,
    batchSize,
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
    parks: settings.on_error?.value === "park",
    carrier,
    async check(kept) {
      if (kept.kept.last === 0) await carrier(kept).refuseForeign();
    },
    rows: (reading, store, brings, most) =>
      new StoredDocuments({
        index,
        schema,
        most,
        reading,
        mending: store && { state: store, carrier: brings },
        lastNow: async () => (await world.readState(state))?.kept.last ?? 0,
      }),
  };
}
