const bytes = (length, fill) => `0x${fill.repeat(length)}`;

const transaction = {
  hash: bytes(32, "a7"),
  index: 3,
  from: bytes(20, "11"),
  to: bytes(20, "22"),
  value: 10n ** 18n,
  gasLimit: 300_000n,
  gasPrice: 30n * 10n ** 9n,
  input: bytes(100, "5a"),
  nonce: 77n,
};

const block = {
  number: 17_000_000,
  hash: bytes(32, "b1"),
  parentHash: bytes(32, "b2"),
  unclesHash: bytes(32, "b3"),
  author: bytes(20, "44"),
  stateRoot: bytes(32, "b4"),
  transactionsRoot: bytes(32, "b5"),
  receiptsRoot: bytes(32, "b6"),
  gasUsed: 12_345_678n,
  gasLimit: 30_000_000n,
  timestamp: 1_700_000_000n,
  difficulty: 0n,
  totalDifficulty: 58_750_003_716_598_352_816_469n,
  size: 50_000n,
  baseFeePerGas: 20n * 10n ** 9n,
  transactions: new Map([[transaction.hash, transaction]]),
};

/** What the handler of an event is given when one comes, always the same. */
export function sampleTrigger(event) {
  const log = {
    address: bytes(20, "99"),
    topics: [],
    data: "0x",
    block,
    transactionHash: transaction.hash,
    transactionIndex: transaction.index,
    logIndex: 142,
    removed: false,
  };
  const params = event.inputs.map(({ name, type, indexed, components }) => ({
    name,
    value:
      indexed && isHashed(type) ? { kind: "fixedBytes", value: bytes(32, "f6") } : sample(type, components),
  }));
  return { kind: "event", log, block, transaction, params };
}

/** Whether the chain keeps no more than the hash of an indexed parameter. */
function isHashed(type) {
  return /\]$|^tuple|^string$|^bytes$/.test(type);
}

/** A value of a Solidity type; lists have two items. */
function sample(type, components) {
  const [, item, length] = /^(.*)\[(\d*)\]$/.exec(type) ?? [];
  if (item) {
    const value = Array.from({ length: Number(length || 2) }, () => sample(item, components));
    return { kind: length ? "fixedArray" : "array", value };
  }
  if (type === "tuple")
    return { kind: "tuple", value: components.map((one) => sample(one.type, one.components)) };
  if (type === "address") return { kind: "address", value: bytes(20, "c3") };
  if (type === "bool") return { kind: "bool", value: true };
  if (type === "string") return { kind: "string", value: "a text of some length" };
  if (type === "bytes") return { kind: "bytes", value: bytes(40, "d4") };
  if (type.startsWith("bytes")) return { kind: "fixedBytes", value: bytes(Number(type.slice(5)), "e5") };
  const bits = BigInt(/\d+$/.exec(type)?.[0] ?? 256);
  return type.startsWith("u")
    ? { kind: "uint", value: (1n << (bits / 2n)) + 5n }
    : { kind: "int", value: -(1n << (bits / 2n)) };
}

/** A store that keeps what is written. */
export function sampleWorld() {
  const entities = new Map();
  return {
    address: bytes(20, "99"),
    network: "mainnet",
    context: new Map(),
    entities,
    get: (type, id) => entities.get(`${type} ${id}`),
    getInBlock: (type, id) => entities.get(`${type} ${id}`),
    related: () => [],
    set: (type, id, entity) => void entities.set(`${type} ${id}`, entity),
    remove: (type, id) => void entities.delete(`${type} ${id}`),
    call: () => undefined,
    balance: () => 0n,
    hasCode: () => true,
    createDataSource: () => undefined,
    log: () => undefined,
  };
}
