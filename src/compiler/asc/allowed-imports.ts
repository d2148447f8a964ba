/** The host functions that graph-node provides to an Ethereum mapping, by namespace. */
const HOST_FUNCTIONS = {
  store: ["get", "get_in_block", "loadRelated", "set", "remove"],
  ethereum: ["call", "getBalance", "hasCode", "encode", "decode", "decodeParams"],
  typeConversion: [
    "bytesToString",
    "bytesToHex",
    "bigIntToString",
    "bigIntToHex",
    "stringToH160",
    "bytesToBase58",
  ],
  bigInt: [
    "plus",
    "minus",
    "times",
    "dividedBy",
    "dividedByDecimal",
    "mod",
    "pow",
    "fromString",
    "bitOr",
    "bitAnd",
    "leftShift",
    "rightShift",
  ],
  bigDecimal: ["plus", "minus", "times", "dividedBy", "equals", "toString", "fromString"],
  crypto: ["keccak256"],
  json: ["fromBytes", "try_fromBytes", "toI64", "toU64", "toF64", "toBigInt"],
  yaml: ["fromBytes", "try_fromBytes"],
  ipfs: ["cat", "getBlock", "map"],
  dataSource: ["create", "createWithContext", "address", "network", "context"],
  ens: ["nameByHash"],
  log: ["log"],
  gas: ["gas"],
  // Exist, but every call fails: they belong to other chains and versions.
  arweave: ["transactionData"],
  box: ["profile"],
} as const;

/**
 * The names that a mapping may import. graph-node matches imports by name alone; their module is the graph-ts file
 * that declares them. It refuses to start a subgraph that imports anything else (`Date.now`, `env.seed`, `fd_write`).
 */
export const ALLOWED_IMPORTS: ReadonlySet<string> = new Set([
  "abort",
  ...Object.entries(HOST_FUNCTIONS).flatMap(([namespace, names]) =>
    names.map((name) => `${namespace}.${name}`),
  ),
]);
