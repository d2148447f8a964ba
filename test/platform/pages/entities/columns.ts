import { layOut } from "../../../../src/store/tables/lay-out.js";
import type { EntityColumn, EntityTable } from "../../../../src/store/tables/layout.js";
import { readEntitySchema } from "../../../../src/subgraph/schema/read-entity-schema.js";

const schema = `
  enum Kind { BUY SELL }
  interface Asset { id: ID! }
  type Token implements Asset @entity { id: ID!, name: String }
  type Trade @entity(immutable: true) {
    block_number: BigInt!, timestamp_: BigInt!, transactionHash_: String!, contractId_: String!
    id: Bytes!, amount: BigInt!, price: BigDecimal, small: Int, count: Int8, isOpen: Boolean, kind: Kind
    note: String, token: Token!, asset: Asset, owners: [Bytes!], createdAt: BigInt
  }
  type Point @entity(timeseries: true) { id: Int8!, timestamp: Timestamp!, value: BigDecimal! }
`;

/** The layout of entities with a field of every type. */
export const layout = layOut(readEntitySchema(schema), "sgd1");

export function tableOf(type: string): EntityTable {
  const table = layout.tables.find((one) => one.type === type);
  if (!table) throw new Error(`there is no table for ${type}`);
  return table;
}

export function columnOf(field: string, type = "Trade"): EntityColumn {
  const column = tableOf(type).columns.find((one) => one.field === field);
  if (!column) throw new Error(`${type} has no field ${field}`);
  return column;
}
