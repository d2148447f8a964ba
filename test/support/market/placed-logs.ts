import { decodeMarketLog, encodeMarketLog, type MadeLog, type MarketLog } from "./market-log.js";

/** The logs of blocks, each with its transactions, as a chain would have them. Block 1 comes first. */
export function placedLogs(blocks: readonly (readonly (readonly MadeLog[])[])[]): readonly MarketLog[] {
  return blocks.flatMap((transactions, number) => {
    let index = 0;
    return transactions.flatMap((logs, place) =>
      logs.map((log) =>
        decodeMarketLog({
          ...encodeMarketLog(log),
          address: log.address,
          block: number + 1,
          timestamp: 1_700_000_000 + number,
          index: index++,
          transaction: `0x${String(number + 1).padStart(60, "0")}${String(place).padStart(4, "0")}`,
        }),
      ),
    );
  });
}
