/**
 * The methods that endpoints forward: reads, and transactions that their sender has signed. Web pages contain the keys
 * of endpoints. Therefore endpoints forward nothing that spends or signs with the node's accounts
 * (`eth_sendTransaction`, `eth_sign`, `eth_accounts`), leaves state on the node (filters, subscriptions), or makes it
 * execute whole blocks again (`debug_*`, `trace_*`).
 */
const passed: ReadonlySet<string> = new Set([
  "eth_baseFee",
  "eth_blobBaseFee",
  "eth_blockNumber",
  "eth_call",
  "eth_chainId",
  "eth_createAccessList",
  "eth_estimateGas",
  "eth_feeHistory",
  "eth_gasPrice",
  "eth_getAccount",
  "eth_getAccountInfo",
  "eth_getBalance",
  "eth_getBlockByHash",
  "eth_getBlockByNumber",
  "eth_getBlockReceipts",
  "eth_getBlockTransactionCountByHash",
  "eth_getBlockTransactionCountByNumber",
  "eth_getCode",
  "eth_getHeaderByHash",
  "eth_getHeaderByNumber",
  "eth_getLogs",
  "eth_getProof",
  "eth_getRawTransactionByBlockHashAndIndex",
  "eth_getRawTransactionByBlockNumberAndIndex",
  "eth_getRawTransactionByHash",
  "eth_getStorageAt",
  "eth_getTransactionByBlockHashAndIndex",
  "eth_getTransactionByBlockNumberAndIndex",
  "eth_getTransactionByHash",
  "eth_getTransactionCount",
  "eth_getTransactionReceipt",
  "eth_getUncleByBlockHashAndIndex",
  "eth_getUncleByBlockNumberAndIndex",
  "eth_getUncleCountByBlockHash",
  "eth_getUncleCountByBlockNumber",
  "eth_maxPriorityFeePerGas",
  "eth_protocolVersion",
  "eth_sendRawTransaction",
  "eth_simulateV1",
  "eth_syncing",
  "net_listening",
  "net_peerCount",
  "net_version",
  "web3_clientVersion",
  "web3_sha3",
]);

/** Whether a JSON-RPC method is forwarded to nodes. */
export function isPassedOn(method: string): boolean {
  return passed.has(method);
}
