import type { AuditSink } from "../audit.js";
import { auditDelivery } from "../delivery/audit-delivery.js";
import { BulkCarrier } from "./bulk-carrier.js";
import { searchTarget } from "./open-elasticsearch.js";
import type { ElasticsearchShape } from "./shape.js";
import { StoredDocuments } from "./stored-documents.js";

/** Opens the documents of an index for an audit. @throws SinkError */
export const auditElasticsearch: AuditSink<ElasticsearchShape> = async (
  planned,
  owner,
  world,
  options,
  work,
) => {
  const { index, batchSize, state: kept } = searchTarget(planned, owner, world);
  const { schema } = planned;
  const { most } = options;
  return auditDelivery(
    {
      state: kept,
      schema,
      sources: owner.sources,
      carrier: (state) => new BulkCarrier({ ...index, batchSize, last: state.kept.last }),
      rows: (reading, state, carrier) =>
        new StoredDocuments({
          index,
          schema,
          most,
          reading,
          mending: state && { state, carrier },
          lastNow: async () => (await world.readState(kept))?.kept.last ?? 0,
        }),
    },
    world,
    options,
    work,
  );
};
