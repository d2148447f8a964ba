import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { plant } from "../folder.js";

/** A subgraph whose handlers write down what they receive, so that tests in JSON can ask for it. */
const files: Readonly<Record<string, string>> = {
  "subgraph.yaml": `specVersion: 1.3.0
features: [ipfsOnEthereumContracts]
schema: { file: ./schema.graphql }
dataSources:
  - kind: ethereum
    name: Main
    network: mainnet
    source: { abi: All, address: "0x00000000000000000000000000000000000000aA", startBlock: 0 }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Fact]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      eventHandlers:
        - { event: "Moved(indexed address,indexed address,uint256)", handler: handleMoved }
        - { event: "Typed(int8,uint8,int256,bool,bytes,bytes4,string)", handler: handleAny }
        - { event: "Lists(uint256[],address[2],string[])", handler: handleAny }
        - { event: "Shaped((uint256,string))", handler: handleAny }
        - { event: "Hashed(indexed string,indexed bytes,indexed bytes4)", handler: handleAny }
        - { event: "Asked(address,string)", handler: handleAsked }
        - { event: "Failed(string)", handler: handleFailed }
        - { event: "Made(address)", handler: handleMade }
        - { event: "Stored(string)", handler: handleStored }
        - { event: "Sampled(uint256)", handler: handleSampled }
  - kind: ethereum
    name: Paid
    network: mainnet
    source: { abi: All, address: "0x00000000000000000000000000000000000000aA", startBlock: 0 }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Fact]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      eventHandlers:
        - { event: "Paid(uint256)", handler: handlePaid, receipt: true }
  - kind: ethereum
    name: Every
    network: mainnet
    source: { abi: All, address: "0x00000000000000000000000000000000000000aA", startBlock: 12 }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Fact]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      blockHandlers: [{ handler: handleEvery }]
  - kind: ethereum
    name: Once
    network: mainnet
    source: { abi: All, address: "0x00000000000000000000000000000000000000aA", startBlock: 12 }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Fact]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      blockHandlers: [{ handler: handleOnce, filter: { kind: once } }]
  - kind: ethereum
    name: Polled
    network: mainnet
    source: { abi: All, address: "0x00000000000000000000000000000000000000aA", startBlock: 12 }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Fact]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      blockHandlers: [{ handler: handlePolled, filter: { kind: polling, every: 3 } }]
templates:
  - kind: ethereum
    name: Child
    network: mainnet
    source: { abi: All }
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Fact]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      eventHandlers:
        - { event: "Moved(indexed address,indexed address,uint256)", handler: handleChild }
  - kind: file/ipfs
    name: Letter
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Letter]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      handler: handleLetter
  - kind: file/arweave
    name: Scroll
    mapping:
      kind: ethereum/events
      apiVersion: 0.0.9
      language: wasm/assemblyscript
      entities: [Letter]
      abis: [{ name: All, file: ./All.json }]
      file: ./mapping.ts
      handler: handleLetter
`,
  "schema.graphql": `enum Size { SMALL LARGE }
type Fact @entity(immutable: true) { id: ID! text: String! }
type Tick @entity(immutable: true) { id: ID! number: Int! }
type Letter @entity { id: ID! content: String! }
type Sample @entity(immutable: false) {
  id: ID!
  int: Int!
  long: Int8!
  big: BigInt!
  decimal: BigDecimal!
  bytes: Bytes!
  flag: Boolean!
  text: String
  list: [BigInt!]!
  words: [String!]!
  size: Size!
  next: Sample
  parts: [Part!]! @derivedFrom(field: "sample")
}
type Part @entity(immutable: false) { id: ID! sample: Sample! number: Int! }
`,
  "All.json": JSON.stringify([
    {
      type: "event",
      name: "Moved",
      anonymous: false,
      inputs: [
        { indexed: true, type: "address", name: "from" },
        { indexed: true, type: "address", name: "to" },
        { indexed: false, type: "uint256", name: "value" },
      ],
    },
    {
      type: "event",
      name: "Typed",
      anonymous: false,
      inputs: [
        { indexed: false, type: "int8", name: "small" },
        { indexed: false, type: "uint8", name: "tiny" },
        { indexed: false, type: "int256", name: "big" },
        { indexed: false, type: "bool", name: "flag" },
        { indexed: false, type: "bytes", name: "data" },
        { indexed: false, type: "bytes4", name: "four" },
        { indexed: false, type: "string", name: "text" },
      ],
    },
    {
      type: "event",
      name: "Lists",
      anonymous: false,
      inputs: [
        { indexed: false, type: "uint256[]", name: "items" },
        { indexed: false, type: "address[2]", name: "pair" },
        { indexed: false, type: "string[]", name: "words" },
      ],
    },
    {
      type: "event",
      name: "Shaped",
      anonymous: false,
      inputs: [
        {
          indexed: false,
          type: "tuple",
          name: "point",
          components: [
            { type: "uint256", name: "x" },
            { type: "string", name: "label" },
          ],
        },
      ],
    },
    {
      type: "event",
      name: "Hashed",
      anonymous: false,
      inputs: [
        { indexed: true, type: "string", name: "name" },
        { indexed: true, type: "bytes", name: "raw" },
        { indexed: true, type: "bytes4", name: "four" },
      ],
    },
    {
      type: "event",
      name: "Asked",
      anonymous: false,
      inputs: [
        { indexed: false, type: "address", name: "who" },
        { indexed: false, type: "string", name: "what" },
      ],
    },
    {
      type: "event",
      name: "Failed",
      anonymous: false,
      inputs: [{ indexed: false, type: "string", name: "why" }],
    },
    {
      type: "event",
      name: "Made",
      anonymous: false,
      inputs: [{ indexed: false, type: "address", name: "where" }],
    },
    {
      type: "event",
      name: "Stored",
      anonymous: false,
      inputs: [{ indexed: false, type: "string", name: "path" }],
    },
    {
      type: "event",
      name: "Sampled",
      anonymous: false,
      inputs: [{ indexed: false, type: "uint256", name: "number" }],
    },
    {
      type: "event",
      name: "Paid",
      anonymous: false,
      inputs: [{ indexed: false, type: "uint256", name: "amount" }],
    },
    {
      type: "function",
      name: "symbol",
      stateMutability: "view",
      inputs: [],
      outputs: [{ type: "string", name: "" }],
    },
    {
      type: "function",
      name: "balanceOf",
      stateMutability: "view",
      inputs: [{ type: "address", name: "who" }],
      outputs: [{ type: "uint256", name: "" }],
    },
    {
      type: "function",
      name: "reserves",
      stateMutability: "view",
      inputs: [],
      outputs: [
        { type: "uint112", name: "a" },
        { type: "uint112", name: "b" },
        { type: "uint32", name: "c" },
      ],
    },
    {
      type: "function",
      name: "slot",
      stateMutability: "view",
      inputs: [{ type: "uint8", name: "n" }],
      outputs: [
        {
          type: "tuple",
          name: "",
          components: [
            { type: "uint256", name: "x" },
            { type: "string", name: "label" },
          ],
        },
      ],
    },
  ]),
  "mapping.ts": `import { Address, BigDecimal, BigInt, Bytes, Entity, Value, DataSourceTemplate, dataSource, ethereum, ipfs, log, store } from "@graphprotocol/graph-ts";

function note(id: string, text: string): void {
  const fact = new Entity();
  fact.set("id", Value.fromString(id));
  fact.set("text", Value.fromString(text));
  store.set("Fact", id, fact);
}

function idOf(event: ethereum.Event): string {
  return event.block.number.toString() + "-" + event.logIndex.toString();
}

function shown(value: ethereum.Value): string {
  switch (value.kind) {
    case ethereum.ValueKind.ADDRESS: return value.toAddress().toHexString();
    case ethereum.ValueKind.FIXED_BYTES:
    case ethereum.ValueKind.BYTES: return value.toBytes().toHexString();
    case ethereum.ValueKind.INT:
    case ethereum.ValueKind.UINT: return value.toBigInt().toString();
    case ethereum.ValueKind.BOOL: return value.toBoolean() ? "true" : "false";
    case ethereum.ValueKind.STRING: return "'" + value.toString() + "'";
    case ethereum.ValueKind.TUPLE: {
      const items = value.toTuple();
      let text = "(";
      for (let i = 0; i < items.length; i++) text += (i > 0 ? "," : "") + shown(items[i]);
      return text + ")";
    }
    default: {
      const items = value.toArray();
      let text = "[";
      for (let i = 0; i < items.length; i++) text += (i > 0 ? "," : "") + shown(items[i]);
      return text + "]";
    }
  }
}

function paramsOf(event: ethereum.Event): string {
  let text = "";
  for (let i = 0; i < event.parameters.length; i++) {
    text += (i > 0 ? " " : "") + event.parameters[i].name + "=" + shown(event.parameters[i].value);
  }
  return text;
}

export function handleAny(event: ethereum.Event): void {
  note(idOf(event), paramsOf(event));
}

export function handleMoved(event: ethereum.Event): void {
  note(idOf(event), paramsOf(event));
  const b = event.block;
  const t = event.transaction;
  const base = b.baseFeePerGas;
  const size = b.size;
  const to = t.to;
  note(idOf(event) + "-block", "hash=" + b.hash.toHexString() + " parent=" + b.parentHash.toHexString() + " number=" + b.number.toString() +
    " time=" + b.timestamp.toString() + " author=" + b.author.toHexString() + " uncles=" + b.unclesHash.toHexString() +
    " state=" + b.stateRoot.toHexString() + " transactions=" + b.transactionsRoot.toHexString() + " receipts=" + b.receiptsRoot.toHexString() +
    " used=" + b.gasUsed.toString() + " limit=" + b.gasLimit.toString() + " difficulty=" + b.difficulty.toString() +
    " total=" + b.totalDifficulty.toString() + " size=" + (size ? size.toString() : "none") + " base=" + (base ? base.toString() : "none"));
  note(idOf(event) + "-transaction", "hash=" + t.hash.toHexString() + " index=" + t.index.toString() + " from=" + t.from.toHexString() +
    " to=" + (to ? to.toHexString() : "none") + " value=" + t.value.toString() + " limit=" + t.gasLimit.toString() +
    " price=" + t.gasPrice.toString() + " input=" + t.input.toHexString() + " nonce=" + t.nonce.toString());
  const type = event.logType;
  note(idOf(event) + "-log", "address=" + event.address.toHexString() + " log=" + event.logIndex.toString() +
    " inTransaction=" + event.transactionLogIndex.toString() + " type=" + (type ? type : "none") +
    " receipt=" + (event.receipt ? "some" : "none") + " network=" + dataSource.network() + " source=" + dataSource.address().toHexString());
}

export function handleChild(event: ethereum.Event): void {
  note(idOf(event) + "-child", event.address.toHexString() + " " + paramsOf(event));
}

export function handlePaid(event: ethereum.Event): void {
  const receipt = event.receipt;
  if (!receipt) {
    note(idOf(event) + "-paid", "no receipt");
    return;
  }
  let text = "hash=" + receipt.transactionHash.toHexString() + " index=" + receipt.transactionIndex.toString() +
    " block=" + receipt.blockNumber.toString() + " " + receipt.blockHash.toHexString() +
    " cumulative=" + receipt.cumulativeGasUsed.toString() + " used=" + receipt.gasUsed.toString() +
    " status=" + receipt.status.toString() + " bloom=" + receipt.logsBloom.toHexString().slice(0, 10);
  for (let i = 0; i < receipt.logs.length; i++) {
    const entry = receipt.logs[i];
    text += " [" + entry.logIndex.toString() + " " + entry.transactionIndex.toString() + " " + entry.topics.length.toString() + " " + entry.data.toHexString() + "]";
  }
  note(idOf(event) + "-paid", text);
}

export function handleAsked(event: ethereum.Event): void {
  const who = event.parameters[0].value.toAddress();
  const what = event.parameters[1].value.toString();
  const id = idOf(event);
  if (what == "balance") {
    note(id, ethereum.getBalance(who).toString());
  } else if (what == "code") {
    const has = ethereum.hasCode(who);
    note(id, has.inner ? "code" : "no code");
  } else if (what == "cat") {
    const content = ipfs.cat("QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG");
    note(id, content ? content.toString() : "no file");
  } else {
    let args: ethereum.Value[] = [];
    let name = what;
    let signature = "symbol():(string)";
    if (what == "balanceOf") {
      args = [ethereum.Value.fromAddress(who)];
      signature = "balanceOf(address):(uint256)";
    } else if (what == "reserves") {
      signature = "reserves():(uint112,uint112,uint32)";
    } else if (what == "slot") {
      args = [ethereum.Value.fromI32(7)];
      signature = "slot(uint8):((uint256,string))";
    }
    const answer = ethereum.call(new ethereum.SmartContractCall("All", event.address, name, signature, args));
    if (answer == null) {
      note(id, "reverted");
    } else {
      let text = "";
      for (let i = 0; i < answer.length; i++) text += (i > 0 ? " " : "") + shown(answer[i]);
      note(id, text);
    }
  }
}

export function handleFailed(event: ethereum.Event): void {
  const why = event.parameters[0].value.toString();
  note(idOf(event), why);
  if (why == "critical") log.critical("so it is", []);
  if (why == "log") log.info("said {}", [why]);
  assert(why != "assert", "this must not be");
  if (why == "missing") {
    const fact = new Entity();
    fact.set("id", Value.fromString("x"));
    store.set("Fact", "x", fact);
  }
  if (why == "template") dataSource.create("Nothing", []);
}

export function handleMade(event: ethereum.Event): void {
  DataSourceTemplate.create("Child", [event.parameters[0].value.toAddress().toHexString()]);
}

export function handleStored(event: ethereum.Event): void {
  const path = event.parameters[0].value.toString();
  DataSourceTemplate.create(path.startsWith("Qm") || path.startsWith("bafy") ? "Letter" : "Scroll", [path]);
}

export function handleLetter(content: Bytes): void {
  const letter = new Entity();
  const id = dataSource.stringParam();
  letter.set("id", Value.fromString(id));
  letter.set("content", Value.fromString(content.toString()));
  store.set("Letter", id, letter);
}

export function handleSampled(event: ethereum.Event): void {
  const number = event.parameters[0].value.toBigInt();
  const id = number.toString();
  const sample = new Entity();
  sample.set("id", Value.fromString(id));
  sample.set("int", Value.fromI32(number.toI32()));
  sample.set("long", Value.fromI64(4611686018427387904));
  sample.set("big", Value.fromBigInt(number.times(BigInt.fromString("1000000000000000000000"))));
  sample.set("decimal", Value.fromBigDecimal(BigDecimal.fromString("1.50").plus(number.toBigDecimal())));
  sample.set("bytes", Value.fromBytes(Bytes.fromHexString("0xABCDEF")));
  sample.set("flag", Value.fromBoolean(number.toI32() % 2 == 1));
  if (number.toI32() > 1) sample.set("text", Value.fromString("ä\\n\\"x\\""));
  sample.set("list", Value.fromBigIntArray([number, number.plus(BigInt.fromI32(1)), number]));
  sample.set("words", Value.fromStringArray(["b", "a"]));
  sample.set("size", Value.fromString(number.toI32() > 1 ? "LARGE" : "SMALL"));
  if (number.toI32() > 1) sample.set("next", Value.fromString("1"));
  store.set("Sample", id, sample);
  for (let i = 0; i < 2; i++) {
    const part = new Entity();
    part.set("id", Value.fromString(id + "-" + i.toString()));
    part.set("sample", Value.fromString(id));
    part.set("number", Value.fromI32(i));
    store.set("Part", id + "-" + i.toString(), part);
  }
}

function tick(kind: string, block: ethereum.Block): void {
  const entity = new Entity();
  const id = kind + "-" + block.number.toString();
  entity.set("id", Value.fromString(id));
  entity.set("number", Value.fromI32(block.number.toI32()));
  store.set("Tick", id, entity);
}

export function handleEvery(block: ethereum.Block): void { tick("every", block); }
export function handleOnce(block: ethereum.Block): void { tick("once", block); }
export function handlePolled(block: ethereum.Block): void { tick("polled", block); }
`,
};

const packages = fileURLToPath(new URL("../../../node_modules", import.meta.url));

/** Writes the subgraph, and tests by name, into a folder. */
export function plantJudgedSubgraph(folder: string, tests: Readonly<Record<string, string>>): void {
  const named = Object.entries(tests).map(([name, text]) => [`tests/${name}.json`, text] as const);
  plant(folder, { ...files, ...Object.fromEntries(named) });
  symlinkSync(packages, join(folder, "node_modules"));
}
