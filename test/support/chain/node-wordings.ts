/** An error in the words of a node or a provider. */
export interface Wording {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

const worded = (code: number, message: string): Wording => ({ code, message });

/** Answers of nodes and providers to a read that would succeed a moment later. */
export const passingTroubles: readonly Wording[] = [
  worded(-32007, "50/second request limit reached - reduce calls per second or upgrade your account"),
  worded(-32012, "you have exceeded your daily quota of credits"),
  worded(-32603, "Internal error"),
  worded(-32603, "internal server error"),
  worded(-32603, "upstream connect error or disconnect/reset before headers"),
  worded(-32005, "limit exceeded"),
  worded(-32005, "Too Many Requests"),
  worded(-32005, "daily request count exceeded, request rate limited"),
  worded(-32000, "request timed out"),
  worded(-32000, "execution aborted (timeout = 5s)"),
  worded(-32000, "context deadline exceeded"),
  worded(-32000, "context canceled"),
  worded(-32000, "server is busy"),
  worded(-32000, "some database is broken"),
  worded(-32000, "leveldb: closed"),
  worded(-32000, "connection refused"),
  worded(-32000, "getDeleteStateObject (0x00) error: layer stale"),
  worded(-32000, "layer stale"),
  worded(-32002, "request timed out"),
  worded(-32002, "The request was rejected due to queue overflow"),
  worded(-32003, "max RPS exceeded"),
  worded(-32011, "no backends available for method"),
  worded(-32016, "over rate limit"),
  worded(-32029, "RPS limit, please slow down"),
  worded(-32046, "Cannot fulfill request"),
  worded(-32055, "system overloaded"),
  worded(-32090, "Too many requests, reason: call rate limit exhausted, retry in 10s"),
  worded(-32098, "capacity limit exceeded"),
  worded(-32600, "project ID request rate exceeded"),
  worded(-32800, "request cancelled"),
  worded(19, "Temporary internal error. Please retry"),
  worded(429, "Your app has exceeded its compute units per second capacity"),
  worded(503, "service unavailable"),
  worded(0, ""),
];

/** Answers of nodes to a request for a block that they do not have yet, or no longer have. */
export const unknownBlocks: readonly Wording[] = [
  worded(-32000, "unknown block"),
  worded(-32000, "header not found"),
  worded(-32000, "header for hash not found"),
  worded(-32000, "invalid block range"),
  worded(-32000, "invalid block range params"),
  worded(-32602, "invalid block range params"),
  worded(-32602, "block range extends beyond current head block"),
  worded(-32000, "block range extends beyond current head block"),
  worded(-32602, "BlockOutOfRangeError: block height is 132 but requested was 136"),
  worded(-32602, "block height is 132 but requested was 136"),
  worded(-32000, "Requested block number is greater than latest block"),
  worded(-32000, "One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found."),
  worded(-32001, "One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found"),
  worded(-32001, "Block not found"),
  worded(-32001, "136 could not be found"),
  worded(-32001, "Resource not found."),
  worded(-32000, "Unknown block number"),
  worded(-39001, "Unknown block"),
  worded(-32000, "end (132) < begin (136)"),
  worded(-32000, "block with number 136 not found"),
  worded(-32000, "block 0x88 not found"),
  worded(-32000, "toBlock is greater than the latest block"),
  worded(-32000, "from block is in the future"),
  worded(-32000, "cannot query unfinalized data"),
  worded(-32603, "requested a future block; the current head is 132"),
  worded(-32000, "hash 0x12 is not currently canonical"),
];

/** Answers of nodes that have an old block but not its state, or restrict access to it. */
export const missingStates: readonly Wording[] = [
  worded(-32000, "missing trie node 59030c2a (path ) state 0x59030c2a is not available"),
  worded(-32000, "missing trie node dd8f963b (path )"),
  worded(-32000, "required historical state unavailable (reexec=128)"),
  worded(-32000, "historical state 0x12 is not available"),
  worded(-32000, "historical state not available in path scheme yet"),
  worded(-32000, "header not found"),
  worded(-32000, "World state unavailable"),
  worded(-32000, "old data not available due to pruning"),
  worded(4444, "pruned history unavailable"),
  worded(-32602, "BlockOutOfRangeError: block height is 5000 but requested was 5"),
  worded(-32603, "State at block #5 is pruned"),
  worded(-32603, "distance to target block exceeds maximum proof window"),
  worded(-32002, "No state available for block 5 (0x12)"),
  worded(-32001, "Resource not found."),
  worded(-32002, "project ID does not have access to archive state"),
  worded(-32701, "Archive requests require a personal token"),
  worded(
    -32000,
    "This request is not supported because your node is running with state pruning. Run with --pruning=archive.",
  ),
];

/** The answers of Lotus for a number that has no block, and never will have one. */
export const nullRounds = (number: number): readonly Wording[] => [
  { code: 12, message: `requested epoch was a null round (${number})` },
  { code: -32603, message: `requested epoch was a null round (${number})` },
];

/** Answers to a call that failed in the contract, which graph-node does not recognize. */
export const contractFailures: readonly Wording[] = [
  worded(-32000, "write protection"),
  worded(-32000, "return data out of bounds"),
  worded(-32000, "gas uint64 overflow"),
  worded(-32000, "max call depth exceeded"),
  worded(-32000, "contract address collision"),
  worded(-32603, "EVM error OutOfOffset"),
  worded(-32603, "EVM error: StateChangeDuringStaticCall"),
  worded(-32000, "program not activated"),
  worded(-32603, "execution fatal: Module(ModuleError { index: 60, error: [7, 0, 0, 0], message: None })"),
];

/** Refusals of a call that asks for more gas than the node gives. */
export const gasCaps: readonly Wording[] = [
  worded(-32000, "err: insufficient gas: tx gas limit 50000000 exceeds block gas limit 25000000"),
  worded(-32602, "gas limit is too high"),
  worded(-32000, "intrinsic gas: gas limit too large"),
  worded(-32603, "request gas 50000000 exceeds the gas cap 25000000"),
];

/** Refusals of a block that is named by its hash, as in EIP-1898. */
export const hashRefusals: readonly Wording[] = [
  worded(-32602, "invalid argument 1: json: cannot unmarshal object into Go value of type string"),
  worded(-32603, "Internal error: value.toString is not a function"),
  worded(-32603, "Cannot read properties of undefined (reading 'startsWith')"),
  worded(-32000, "block must be a string"),
];
