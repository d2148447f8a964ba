import { Interface, type InterfaceAbi } from "ethers";

/** The logs and answers of a factory and its tokens, on chains without an EVM. */
export const factoryAbi = [
  {
    type: "event",
    name: "Made",
    anonymous: false,
    inputs: [
      { name: "token", type: "address", indexed: false },
      { name: "number", type: "uint256", indexed: false },
    ],
  },
  {
    type: "function",
    name: "make",
    stateMutability: "nonpayable",
    inputs: [{ name: "times", type: "uint256" }],
    outputs: [],
  },
] as const;

export const tokenAbi = [
  {
    type: "event",
    name: "Moved",
    anonymous: false,
    inputs: [
      { name: "from", type: "address", indexed: true },
      { name: "to", type: "address", indexed: true },
      { name: "amount", type: "uint256", indexed: false },
    ],
  },
  {
    type: "function",
    name: "move",
    stateMutability: "nonpayable",
    inputs: [
      { name: "to", type: "address" },
      { name: "amount", type: "uint256" },
    ],
    outputs: [],
  },
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [{ name: "owner", type: "address" }],
    outputs: [{ name: "", type: "uint256" }],
  },
] as const;

export const factory = new Interface(factoryAbi as unknown as InterfaceAbi);
export const token = new Interface(tokenAbi as unknown as InterfaceAbi);
/** The first topics of the events, by the entity types that store them. */
export const topics: Readonly<Record<string, string>> = {
  Made: factory.getEvent("Made")?.topicHash ?? "",
  Moved: token.getEvent("Moved")?.topicHash ?? "",
};
export const factoryAddress = `0x${"fac".padEnd(40, "0")}`;

const factorySource = { abi: "Factory", address: factoryAddress, startBlock: 0, chain: "mainnet" };
const tokenSource = { abi: "Factory", eventSignature: "Made(address,uint256)", addressParam: "token" };
const abis = { Factory: factoryAbi, Token: tokenAbi };

const balances = {
  calls: { balance: { name: "balanceOf", params: "event.params.to", required: true } },
  entities: {
    Balance: [
      {
        id: 'event.address.toHexString() + "-" + event.params.to.toHexString()',
        explicit_id: true,
        mapping: { "amount uint256": "calls.balance", "moves uint256": "event.block.number" },
      },
    ],
  },
};

/** Configurations of subgraphs of the factory: events of created sources, calls, and reads of contracts. */
export const poolConfigs: Readonly<Record<string, object>> = {
  events: { abis, instances: [factorySource, { abi: "Token", source: tokenSource }] },
  calls: {
    abis,
    enableCallHandlers: true,
    instances: [factorySource, { abi: "Token", source: tokenSource }],
  },
  reads: {
    abis,
    instances: [
      factorySource,
      { abi: "Token", source: tokenSource, enrich: { handlers: { Moved: balances } } },
    ],
  },
};
