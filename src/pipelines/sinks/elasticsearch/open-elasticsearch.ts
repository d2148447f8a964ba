import { SinkError } from "../../state/sink-error.js";
import type { StateOwner } from "../../state/state-store.js";
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
import { BulkCarrier } from "./bulk-carrier.js";
import type { SearchIndex } from "./search-request.js";
import { readSearchServer } from "./search-secret.js";
import type { ElasticsearchShape } from "./shape.js";

/** Opens a sink that writes documents. @throws SinkError */
export const openElasticsearch: OpenSink<ElasticsearchShape> = async (planned, owner, world) => {
  const { index, batchSize, state: kept } = searchTarget(planned, owner, world);
  const state = await openSentState(world, kept, owner.lineage);
  const carrier = new BulkCarrier({ ...index, batchSize, last: state.kept.last });
  try {
    if (state.kept.last === 0) await carrier.refuseForeign();
  } catch (error) {
    await state.close();
    throw error;
  }
  return new DeliverySink({
    state,
    carrier,
    schema: planned.schema,
    batchSize,
    parks: planned.definition.settings.on_error?.value === "park",
    clock: world.clock,
    flushInterval: planned.definition.settings.batch_flush_interval?.value ?? 1_000,
  });
};

/** Forgets what was sent. @throws SinkError */
export const resetElasticsearch: ResetSink<ElasticsearchShape> = (planned, owner, world) =>
  forgetSent(world, searchTarget(planned, owner, world).state);

/** Reads the parked changes. @throws SinkError */
export const parkedOfElasticsearch: ReadParked<ElasticsearchShape> = (planned, owner, world) =>
  parkedUnsent(world, searchTarget(planned, owner, world).state);

/** Where documents go. */
export interface SearchTarget {
  readonly index: SearchIndex;
  /** Most documents of a request. */
  readonly batchSize: number;
  readonly state: StateOwner;
}

/** Where a sink writes documents, and where its state is. @throws SinkError */
export function searchTarget(
  { name, definition: { settings }, schema }: PlannedSinkOf<ElasticsearchShape>,
  { flow }: SinkOwner,
  world: SinkWorld,
): SearchTarget {
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
  const { outgoing, clock } = world;
  return {
    index: { server, index, outgoing, clock },
    batchSize,
    state: { flow, sink: name, target: `${server.url}/${index}`, columns: schema.columns },
  };
}
