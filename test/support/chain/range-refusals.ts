/** How a node or a gateway refuses a query of logs whose range is too wide. */
export interface RangeRefusal {
  readonly name: string;
  /** Blocks that are taken at once; 5 by default. */
  readonly limit?: number;
  /** The HTTP status; 200 by default. */
  readonly status?: number;
  /** Of a JSON-RPC error. */
  readonly code?: number;
  readonly message?: string;
  readonly data?: unknown;
  /** What is answered in place of a JSON-RPC error. */
  readonly body?: string;
}

/** Refusals as providers and nodes word them. */
export const rangeRefusals: readonly RangeRefusal[] = [
  { name: "infura-new", code: -32602, message: "range 1000000 exceeds limit of 10000" },
  {
    name: "infura-old",
    code: -32005,
    message: "query returned more than 10000 results. Try with this block range [0xBDE5F8, 0x102DBCC].",
  },
  {
    name: "alchemy-10k",
    code: -32602,
    message:
      "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, this block range should work: [0x1dfaf9, 0x1dfb0c]",
  },
  {
    name: "alchemy-free",
    code: -32600,
    message:
      "Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x1, 0xa]. Upgrade to PAYG for expanded block range.",
  },
  { name: "quicknode-413", code: -32614, message: "eth_getLogs is limited to a 10,000 range", status: 413 },
  {
    name: "tenderly",
    code: -32602,
    message: "invalid params",
    data: { error_id: "4ed94073", payload: "range 9009594 is bigger than range limit 2000" },
  },
  {
    name: "morph",
    code: -32000,
    message: "block range is larger than max block range, block range = 5120, max block range = 5000",
  },
  {
    name: "reth",
    code: -32602,
    message: "query exceeds max results 20000, retry with the range 25766988-25775072",
  },
  { name: "candle", code: -32600, message: "block range too high" },
  { name: "llama", code: -32000, message: "eth_getLogs range is too large, max is 10k blocks" },
  { name: "1rpc", code: -32000, message: "eth_getLogs is limited to a 1000 blocks range" },
  { name: "1rpc-size", code: -32000, message: "response size should not greater than 10000000 bytes" },
  { name: "altitude", code: -32000, message: "allowed block range threshold exceeded" },
  { name: "ankr", code: -32600, message: "block range is too wide" },
  { name: "ankr-tac", code: -32000, message: "maximum [from, to] blocks distance: 10000" },
  { name: "arbitrum", code: -32000, message: "logs matched by query exceeds limit of 10000" },
  {
    name: "aurora",
    code: -32005,
    message: "you can make eth_getLogs requests with up to a 2000 block range",
  },
  {
    name: "avax",
    code: -32000,
    message: "requested too many blocks from 100 to 90000, maximum is set to 2048",
  },
  {
    name: "base-backend",
    code: -32011,
    message: "no backend is currently healthy to serve traffic",
    status: 503,
  },
  { name: "base-large", code: -32600, message: "block range too large" },
  { name: "blast-plan", code: -32600, message: "exceeds the range allowed for your plan (5000 > 3000)" },
  {
    name: "blockpi",
    code: -32602,
    message:
      "eth_getLogs is limited to 1024 block range. Please check the parameter requirements at  https://docs.blockpi.io",
    status: 400,
  },
  {
    name: "chainstack",
    code: -32602,
    message:
      "Block range limit exceeded. See more details at https://docs.chainstack.com/docs/limits#evm-range-limits",
  },
  {
    name: "cloudflare",
    code: -32047,
    message: "Invalid eth_getLogs request. 'fromBlock'-'toBlock' range too large. Max range: 800",
    status: 400,
  },
  { name: "coinbase", code: -32602, message: "please limit the query to at most 1000 blocks" },
  { name: "harmony", code: -32000, message: "query must be smaller than size 1024" },
  { name: "hyperliquid", code: -32602, message: "query exceeds max block range 50" },
  { name: "swell", code: -32000, message: "block range greater than 1000 max" },
  { name: "somnia", code: -32000, message: "block range exceeds 1000" },
  { name: "merkle", code: -32000, message: "eth_getLogs range is too large, max is 1k blocks" },
  { name: "moonriver", code: -32603, message: "block range is too wide (maximum 1024)" },
  { name: "optimism-cap", code: -32000, message: "Block range is too large" },
  { name: "optimism-size", code: -32020, message: "backend response too large", status: 500 },
  { name: "publicnode", code: -32701, message: "exceed maximum block range: 50000" },
  { name: "thirdweb", code: -32000, message: "Maximum allowed number of requested blocks is 1000" },
  { name: "tron", code: -32602, message: "exceed max block range" },
  {
    name: "drpc-35",
    code: 35,
    message: "ranges over 10000 blocks are not supported on freetier",
    status: 400,
  },
  {
    name: "drpc-30",
    code: 30,
    message: "Request timeout on the free tier, please upgrade your tier to the paid one",
    status: 408,
  },
  { name: "nodereal", code: -32005, message: "exceed maximum block range: 50000" },
  { name: "bsc-official", code: -32005, message: "limit exceeded" },
  { name: "besu", code: -32000, message: "Requested range exceeds maximum RPC range limit" },
  { name: "nethermind", code: -32005, message: "Too many logs requested. Max logs per response is 20000." },
  { name: "erigon-timeout", code: -32000, message: "query timeout exceeded" },
  { name: "geth-timeout", code: -32002, message: "request timed out" },
  { name: "hedera", code: -32000, message: "Exceeded maximum block range: 1000" },
  {
    name: "hedera-time",
    code: -32004,
    message:
      "The provided fromBlock and toBlock contain timestamps that exceed the maximum allowed duration of 7 days (604800 seconds): 1000-900000",
  },
  { name: "lotus", code: -32603, message: "block range exceeds maximum 2880" },
  {
    name: "lotus-old",
    code: -32000,
    message: "bad tipset height: lookbacks of more than 16h40m0s are disallowed",
  },
  { name: "linea", code: -32005, message: "query returned more than 10000 results" },
  { name: "blast-invalid", code: -32000, message: "invalid block range" },
  { name: "blast-invalid2", code: -32602, message: "invalid block range params" },
  { name: "kava", code: -32000, message: "maximum [begin, end] blocks distance: 2000" },
  { name: "kaia", code: -32000, message: "query cost exceeds the limit" },
  { name: "rsk", code: -32602, message: "Trying to get logs for 5000 blocks. Maximum allowed is 1000" },
  {
    name: "validationcloud",
    code: -32600,
    message:
      "You can make eth_getLogs requests with up to a 1000 block limit. Request block range exceeds limit.",
  },
  { name: "getblock", code: -32000, message: "getLogs block range should be less than 2000 blocks" },
  {
    name: "onfinality",
    code: -32602,
    message: "Too large block range, block range should be less than 10000",
    status: 429,
  },
  { name: "core-dao", code: -32005, message: "exceed maximum block range: 5000. Too many requests" },
  { name: "html-413", status: 413, body: "<html><h1>413 Request Entity Too Large</h1></html>" },
  { name: "gateway-504", status: 504, body: "<html><head><title>504 Gateway Time-out</title></head></html>" },
  { name: "cf-524", status: 524, body: "<html>524: A timeout occurred</html>" },
  { name: "internal", code: -32603, message: "Internal error" },
  { name: "future", code: -32000, message: "block range extends beyond current head block" },
  { name: "one-below", code: -32000, message: "eth_getLogs block range is limited to 1 block", limit: 1 },
  { name: "zkevm", code: -32000, message: "block range too large: 10000, max 5" },
  { name: "mantle", code: -32000, message: "block range greater than 10000 max" },
  { name: "xlayer", code: -32000, message: "logs are limited to a 100 block range" },
  { name: "sei", code: -32000, message: "block range too large (2000), maximum allowed is 1000 blocks" },
  { name: "monad", code: -32614, message: "eth_getLogs is limited to a 100 range", status: 413 },
  { name: "berachain", code: -32005, message: "block range exceeds configured limit" },
  { name: "unichain", code: -32602, message: "query exceeds max block range 100000" },
  { name: "tatum", code: -32000, message: "Request exceeds defined limit, please reduce the block range" },
  {
    name: "grove-503",
    code: -32000,
    message: "range is too large, please try again later with fewer blocks",
  },
];
