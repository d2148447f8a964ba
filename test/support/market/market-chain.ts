import { type Anvil, type Contract, callOf, type RawLog } from "../chain/anvil.js";
import { compileSolidity } from "../chain/solidity.js";
import type { Draw } from "../pool/draw.js";
import { events, market } from "./contracts.js";
import { decodeMarketLog, encodeMarketLog, type MadeLog, type MarketLog } from "./market-log.js";
import type { RandomMarket } from "./random-market.js";

const SOURCE = `
/// Emits any log.
contract Emitter {
  function emitLog(bytes32[] calldata topics, bytes calldata data) external {
    bytes memory copy = data;
    assembly {
      let from := topics.offset
      let start := add(copy, 0x20)
      let size := mload(copy)
      switch topics.length
      case 2 { log2(start, size, calldataload(from), calldataload(add(from, 0x20))) }
      case 3 { log3(start, size, calldataload(from), calldataload(add(from, 0x20)), calldataload(add(from, 0x40))) }
      case 4 {
        log4(
          start, size, calldataload(from), calldataload(add(from, 0x20)), calldataload(add(from, 0x40)),
          calldataload(add(from, 0x60))
        )
      }
      default { revert(0, 0) }
    }
  }
}

/// Has contracts emit logs, one after another, in one transaction.
contract Conductor {
  struct Entry { address at; bytes32[] topics; bytes data; }
  function play(Entry[] calldata entries) external {
    for (uint256 i = 0; i < entries.length; i++) Emitter(entries[i].at).emitLog(entries[i].topics, entries[i].data);
  }
}
`;

/** A chain on which the market's addresses emit what a test wants. */
export class MarketChain {
  private readonly anvil: Anvil;
  private readonly conductor: Contract;

  private constructor(anvil: Anvil, conductor: Contract) {
    this.anvil = anvil;
    this.conductor = conductor;
  }

  /** Puts the contract at each address of the market. */
  static async on(anvil: Anvil): Promise<MarketChain> {
    const contracts = compileSolidity(SOURCE);
    const deploy = (name: string): Promise<Contract> => {
      const { abi, bytecode } = contracts.get(name) ?? { abi: [], bytecode: "" };
      return anvil.deploy(abi, bytecode);
    };
    const emitter = await deploy("Emitter");
    const code = await anvil.rpc("eth_getCode", emitter.address, "latest");
    for (const address of Object.values(market)) await anvil.rpc("anvil_setCode", address, code);
    return new MarketChain(anvil, await deploy("Conductor"));
  }

  /** Mines a block of transactions, each with its logs. */
  async block(...transactions: readonly (readonly MadeLog[])[]): Promise<void> {
    const sendings = transactions.map((logs) => {
      const entries = logs.map((log) => ({ at: log.address, ...encodeMarketLog(log) }));
      return callOf(this.conductor, "play", [entries]);
    });
    for (const { status } of await this.anvil.inOneBlock(sendings)) {
      if (status !== "0x1") throw new Error("the logs were not emitted");
    }
  }

  /** Mines blocks of one to three transactions of a random market. @param count transactions in all of them */
  async live(random: RandomMarket, draw: Draw, count: number): Promise<void> {
    for (let left = count; left > 0; ) {
      const size = Math.min(left, 1 + draw.below(3));
      left -= size;
      await this.block(...Array.from({ length: size }, () => random.next()));
    }
  }

  /** All logs of the market on the chain, in order. */
  async logs(): Promise<readonly MarketLog[]> {
    const topics = Object.values(events).map(([, topic]) => topic);
    const filter = { fromBlock: "0x0", toBlock: "latest", topics: [topics] };
    const logs = await this.anvil.rpc<readonly (RawLog & { blockTimestamp: string })[]>(
      "eth_getLogs",
      filter,
    );
    return logs.map(({ address, topics: hashes, data, ...place }) =>
      decodeMarketLog({
        address,
        topics: hashes,
        data,
        transaction: place.transactionHash,
        block: Number(place.blockNumber),
        timestamp: Number(place.blockTimestamp),
        index: Number(place.logIndex),
      }),
    );
  }
}
