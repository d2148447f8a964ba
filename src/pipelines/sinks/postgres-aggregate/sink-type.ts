import { planAggregation } from "../../plan/plan-aggregation.js";
import { sinkType } from "../sink-type.js";
import { postgresAggregateShape } from "./shape.js";

export const postgresAggregate = sinkType({
  name: "postgres_aggregate",
  shape: postgresAggregateShape,
  place: "table",
  hasFixedColumns: true,
  check({ settings: { group_by: groupBy, aggregate } }, columns, report) {
    const aggregation = groupBy && aggregate && planAggregation(groupBy, aggregate, columns, report);
    return aggregation && { aggregation };
  },
  load: async () => (await import("./open-postgres-aggregate.js")).postgresAggregateAccess,
});
