/**
 * The exports of `@graphprotocol/graph-ts`, which expressions may use without import. A test keeps the list complete.
 */
export const graphTsNames: ReadonlySet<string> = new Set(
  [
    "Address BigDecimal BigInt ByteArray Bytes DataSourceContext DataSourceTemplate Entity EthereumUtils Felt Int8",
    "JSONValue JSONValueKind JSONValuePayload Result Timestamp TypedMap TypedMapEntry Value ValueKind ValuePayload",
    "Wrapped YAMLTaggedValue YAMLValue YAMLValueKind YAMLValuePayload arweave bigDecimal bigInt cosmos crypto",
    "dataSource ens ethereum ipfs json log near starknet store typeConversion yaml",
  ]
    .join(" ")
    .split(" "),
);
