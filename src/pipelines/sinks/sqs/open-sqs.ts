import { isWebAddress } from "../../../web/http/address.js";
import { SinkError } from "../../state/sink-error.js";
import { type Delivery, deliveryAccess } from "../delivery/delivery-access.js";
import { type PlannedSinkOf, type SinkOwner, type SinkWorld, secretOf } from "../opening.js";
import type { SqsShape } from "./shape.js";
import { SqsCarrier } from "./sqs-carrier.js";
import { readSqsKey, regionOf } from "./sqs-secret.js";

/** How a queue is reached. */
export const sqsAccess = deliveryAccess(sqsDelivery);

/** What a queue gets, and where its state is. @throws SinkError */
function sqsDelivery(
  { name, definition, schema }: PlannedSinkOf<SqsShape>,
  { flow, sources }: SinkOwner,
  world: SinkWorld,
): Delivery {
  const { settings } = definition;
  const queueUrl = settings.queue_url?.value ?? "";
  if (!isWebAddress(queueUrl))
    throw new SinkError("queue_url is not an address. Write the URL of the queue.", false);
  const secret = settings.secret_name?.value ?? "";
  const key = readSqsKey(secretOf(secret, world));
  if (!key)
    throw new SinkError(
      `Secret ${secret} is not a key of a queue. Its value looks like <access key>:<secret access key>, or {"type": "sqs", "accessKey": "…", "secretAccessKey": "…", "region": "eu-west-1"}.`,
      false,
    );
  const region = settings.region?.value ?? key.region ?? regionOf(queueUrl);
  if (region === undefined)
    throw new SinkError("The region of the queue is unknown. Add region to the sink.", false);
  const { outgoing, clock } = world;
  return {
    schema,
    sources,
    state: { flow, sink: name, target: queueUrl, columns: schema.columns },
    batchSize: Math.max(1, settings.batch_size?.value ?? 1_000),
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
    parks: settings.on_error?.value === "park",
    carrier: ({ kept }) => new SqsCarrier({ queueUrl, key, region, stateId: kept.id, outgoing, clock }),
  };
}
