import { present } from "../../base/invariant.js";
import type { SqlFragment } from "../../store/database/database.js";
import { quoteNames } from "../../store/database/quote.js";
import type { Deployment } from "../../store/deployments/deployments.js";
import { readableEntities } from "../../store/deployments/readable-entities.js";
import type { EntityColumn, EntityTable } from "../../store/tables/layout.js";

/** The fields that each entity type must have, as the schema writes their types. `!` only where null has no meaning. */
const wantedTypes = {
  Activity: {
    block: "BigInt!",
    timestamp: "BigInt",
    transactionHash: "String",
    logIndex: "Int!",
    part: "Int!",
    eventType: "String!",
    side: "String!",
    orderType: "String!",
    address: "String",
    counterparty: "String",
    tokenId: "BigInt",
    amountUsdc: "BigInt",
    amountShares: "BigInt",
    fee: "BigInt",
    feeAsset: "String",
    orderId: "String",
    builder: "String",
  },
  Balance: {
    address: "String!",
    contractAddress: "String!",
    tokenId: "BigInt!",
    balance: "BigInt!",
    block: "BigInt",
    timestamp: "BigInt",
  },
  Position: {
    address: "String!",
    tokenId: "BigInt!",
    amount: "BigInt",
    avgPrice: "BigInt",
    realizedPnl: "BigInt",
    totalBought: "BigInt",
    block: "BigInt",
    timestamp: "BigInt",
  },
} as const;

/** The entity types of a market. */
export type MarketType = keyof typeof wantedTypes;

/** The table of an entity type. */
export interface MarketTable {
  readonly table: EntityTable;
  /** With its schema, for statements. */
  readonly name: SqlFragment;
  column(field: string): EntityColumn;
}

export type MarketTables = Readonly<Record<MarketType, MarketTable>>;

/** A subgraph that is missing, or whose entities do not form a market. The message gives the reason. */
export class MarketError extends Error {
  override readonly name = "MarketError";
}

/**
 * The tables in which a subgraph keeps a market.
 * @param subgraph its name, for messages
 * @throws MarketError that says what its schema lacks
 */
export function marketTables(deployment: Deployment, subgraph: string): MarketTables {
  const { layout } = readableEntities(deployment);
  const lacks: string[] = [];
  const tables = Object.entries(wantedTypes).map(([type, fields]) => {
    const table = layout.tables.find((one) => one.type === type && one.interval === undefined);
    if (!table) lacks.push(`an entity type ${type}`);
    else lacks.push(...missingFields(type, fields, table));
    return [type, table && marketTable(layout.namespace, table)] as const;
  });
  if (lacks.length === 0) return Object.fromEntries(tables) as unknown as MarketTables;
  throw new MarketError(
    `Subgraph ${subgraph} keeps no market: its schema lacks ${lacks.join(", ")}. Name a subgraph with the types of examples/market.`,
  );
}

function missingFields(
  type: string,
  fields: Readonly<Record<string, string>>,
  { columns }: EntityTable,
): readonly string[] {
  return Object.entries(fields).flatMap(([field, wanted]) => {
    const found = columns.find((column) => column.field === field);
    const isRight =
      found?.kind === "scalar" &&
      !found.list &&
      found.scalar === wanted.replace("!", "") &&
      (found.nonNull || !wanted.endsWith("!"));
    return isRight ? [] : [`${type}.${field}: ${wanted}`];
  });
}

function marketTable(namespace: string, table: EntityTable): MarketTable {
  const columns = new Map(table.columns.map((column) => [column.field, column]));
  return {
    table,
    name: quoteNames(namespace, table.name),
    column: (field) => present(columns.get(field), `${table.type} has no field ${field}`),
  };
}
