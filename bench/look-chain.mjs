// The chain of `look.mjs`: a contract that emits events of many kinds.
import { Interface, id } from "ethers";

/** Kinds of events. With the enrichment of the first, the large subgraph has 200 entity types. */
export const kinds = 199;

const source = `
  contract Emitter {
    function emitAll(bytes32[] calldata topics, uint256 start) external {
      for (uint256 i = 0; i < topics.length; i++) {
        bytes32 topic = topics[i];
        uint256 amount = start + i;
        uint256 who = uint160(uint256(keccak256(abi.encode(amount % 5000))));
        assembly { mstore(0, amount) log2(0, 32, topic, who) }
      }
    }
  }
`;
const functions = new Interface(["function emitAll(bytes32[] topics, uint256 start)"]);
const topicOf = (kind) => id(`Kind${kind}(address,uint256)`);

/** The ABI of the kinds from one up to another. */
export function eventsOf(from, to) {
  return Array.from({ length: to - from }, (_, index) => ({
    type: "event",
    name: `Kind${from + index}`,
    anonymous: false,
    inputs: [
      { name: "who", type: "address", indexed: true },
      { name: "amount", type: "uint256", indexed: false },
    ],
  }));
}

const transact = async (client, more) => {
  const [from] = await client.request("eth_accounts", []);
  return client.request("eth_sendTransaction", [{ from, gas: "0x3000000", ...more }]);
};

/** Deploys the contract; from then on, blocks are mined by `mineEvents` alone. @returns its address */
export async function compileEmitter(client) {
  const { default: solc } = await import("solc");
  const input = {
    language: "Solidity",
    sources: { "a.sol": { content: source } },
    settings: { outputSelection: { "*": { "*": ["evm.bytecode.object"] } } },
  };
  const { Emitter } = JSON.parse(solc.compile(JSON.stringify(input))).contracts["a.sol"];
  await client.request("evm_setAutomine", [false]);
  const hash = await transact(client, { data: `0x${Emitter.evm.bytecode.object}` });
  await client.request("anvil_mine", ["0x1"]);
  const { contractAddress } = await client.request("eth_getTransactionReceipt", [hash]);
  return contractAddress.toLowerCase();
}

let emitted = 0;

/** Mines a block with this many events: a quarter of the first kind, the others of all kinds in turn. */
export async function mineEvents(client, to, events) {
  const topics = Array.from({ length: events }, (_, index) =>
    topicOf(index % 4 === 0 ? 0 : 1 + ((emitted + index) % (kinds - 1))),
  );
  await transact(client, { to, data: functions.encodeFunctionData("emitAll", [topics, emitted]) });
  emitted += events;
  await client.request("anvil_mine", ["0x1"]);
}
