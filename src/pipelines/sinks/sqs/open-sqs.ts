import { isWebAddress } from "../../../web/http/address.js";
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
import type { SqsShape } from "./shape.js";
import { SqsCarrier } from "./sqs-carrier.js";
import { readSqsKey, regionOf } from "./sqs-secret.js";

/** Opens a sink that sends messages to a queue. @throws SinkError */
export const openSqs: OpenSink<SqsShape> = async (planned, owner, world) => {
  const { state: kept, schema, carrier } = sqsDelivery(planned, owner, world);
  const { settings } = planned.definition;
  const state = await openSentState(world, kept, owner.lineage);
  return new DeliverySink({
    state,
    carrier: carrier(state),
    schema,
    parks: settings.on_error?.value === "park",
    clock: world.clock,
    batchSize: Math.max(1, settings.batch_size?.value ?? 1_000),
    flushInterval: settings.batch_flush_interval?.value ?? 1_000,
  });
};

/** Forgets what was sent. @throws SinkError */
export const resetSqs: ResetSink<SqsShape> = (planned, owner, world) =>
  forgetSent(world, sqsDelivery(planned, owner, world).state);

/** Reads the parked changes. @throws SinkError */
export const parkedOfSqs: ReadParked<SqsShape> = (planned, owner, world) =>
  parkedUnsent(world, sqsDelivery(planned, owner, world).state);

/** What a queue gets, and where its state is. @throws SinkError */
export function sqsDelivery(
  { name, definition, schema }: PlannedSinkOf<SqsShape>,
  { flow, sources }: SinkOwner,
  world: SinkWorld,
): AuditedDelivery {
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
    carrier: ({ kept }) => new SqsCarrier({ queueUrl, key, region, stateId: kept.id, outgoing, clock }),
  };
}
