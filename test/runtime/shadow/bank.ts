/** A contract whose events make mappings calculate, convert, call contracts, and rewrite entities. */
export const bank = [
  ...["Deposit", "Withdraw", "Fields", "Told", "Traced"].map(
    (name) => `event ${name}(address who, uint256 amount)`,
  ),
  "event Texts(string note, bytes data)",
  "event Numbers(int256 x, int256 y)",
  "function total() view returns (uint256)",
  "function owner() view returns (address)",
  "function balanceOf(address) view returns (uint256)",
];

const amount = "event.params.amount";
const account = (mapping: object) => [{ id: "event.params.who.toHexString()", explicit_id: true, mapping }];
const total = { calls: { total: { name: "total" } } };

const kinds = {
  "who address": "event.params.who.toHexString()",
  "raw bytes": "event.params.who",
  "word bytes32": "event.block.hash",
  "flag bool": `${amount}.isZero()`,
  "small uint24": "event.block.number.toI32()",
  "signed int32": "-event.block.number.toI32()",
  "wide uint32": amount,
  "share fixed": `${amount}.toBigDecimal() / BigDecimal.fromString("3")`,
  "whos address[]": "[event.params.who.toHexString()]",
  "ratio ufixed128x18": 'BigDecimal.fromString("1.50")',
  "list uint256[]": `[${amount}, BigInt.zero()]`,
  "hash bytes32[]": "[event.transaction.hash]",
  "ternary string": `${amount} > BigInt.fromI32(5) ? "many" : "few"`,
  "place string": "dataSource.network() + dataSource.address().toHexString()",
};

/** Numbers of the block and the transaction, as on the chain. */
const surroundings = [
  ...["number", "gasUsed", "gasLimit", "timestamp", "difficulty", "totalDifficulty"].map((name) => [
    `block_${name} uint256`,
    `event.block.${name}`,
  ]),
  ...["index", "value", "gasLimit", "gasPrice", "nonce"].map((name) => [
    `tx_${name} uint256`,
    `event.transaction.${name}`,
  ]),
  ...["parentHash", "unclesHash", "author", "stateRoot", "transactionsRoot", "receiptsRoot"].map((name) => [
    `block_${name} bytes`,
    `event.block.${name}`,
  ]),
  ["tx_from bytes", "event.transaction.from"],
  ["tx_input bytes", "event.transaction.input"],
];

const x = "event.params.x";
const y = "event.params.y";
const numbers = {
  ...Object.fromEntries(
    ["plus", "minus", "times", "div", "mod"].map((name) => [`${name} int256`, `${x}.${name}(${y})`]),
  ),
  "bits int256": `${x}.abs().bitOr(${y}.abs()).bitAnd(BigInt.fromI32(65535))`,
  "left int256": `${x}.leftShift(9)`,
  "right int256": `${x}.rightShift(3)`,
  "power int256": `${x}.pow(3)`,
  "text string": `${x}.toString() + "/" + ${y}.toHexString()`,
  "read int256": `BigInt.fromString(${x}.toString())`,
  // For long negative decimals, the shadow host keeps other digits than graph-node and the runtime.
  "sum fixed": `${x}.abs().toBigDecimal().plus(BigDecimal.fromString("0.25"))`,
  "signed fixed": `${x}.mod(BigInt.fromI32(1000)).toBigDecimal().plus(BigDecimal.fromString("0.25"))`,
  "product fixed": 'BigDecimal.fromString("-1.50").times(BigDecimal.fromString("1e3"))',
  "quotient fixed": `BigInt.fromI32(2).divDecimal(BigDecimal.fromString("3"))`,
  "same bool": `${x}.abs().toBigDecimal() == ${y}.abs().toBigDecimal()`,
  "shown string": `BigDecimal.fromString("12.500").minus(BigDecimal.fromString("1e-7")).toString()`,
};

const texts = {
  "note string": "event.params.note",
  "hash bytes32": "Bytes.fromByteArray(crypto.keccak256(event.params.data))",
  "text string": "event.params.data.toString()",
  "hex string": "event.params.data.toHexString()",
  "encoded bytes": "ethereum.encode(ethereum.Value.fromString(event.params.note))!",
  "length int32": "event.params.note.length",
  "address address": `Address.fromString("0xDAC17F958D2ee523a2206206994597C13D831ec7").toHexString()`,
};

/** Handlers of the bank's events. */
export const bankHandlers = {
  Deposit: {
    entities: {
      Account: account({ "deposited uint256": amount, "last string": '"deposit"' }),
      Movement: { "amount uint256": amount, "isDeposit bool": "true" },
      Deposit: { "double uint256": `${amount}.times(BigInt.fromI32(2))` },
    },
  },
  Withdraw: {
    ...total,
    entities: {
      Account: account({
        "withdrawn uint256": amount,
        "last string": '"withdraw"',
        "total uint256": "calls.total",
      }),
      Movement: { "amount uint256": amount },
    },
  },
  Fields: { entities: { Kinds: kinds, Surroundings: Object.fromEntries(surroundings) } },
  Texts: { entities: { Written: texts } },
  Numbers: { entities: { Reckoned: numbers } },
  Told: {
    calls: {
      own: { name: "balanceOf", params: "event.params.who", declared: true },
      other: { name: "total", source: "event.params.who", declared: true },
      computed: { name: "balanceOf", params: "event.transaction.from" },
    },
    entities: {
      Gas: {
        "own uint256": "calls.own",
        "used uint256": "event.receipt!.gasUsed",
        "logs int32": "event.receipt!.logs.length",
        "data bytes": "event.receipt!.logs[0].data",
        "status uint256": "event.receipt!.status",
      },
    },
  },
  Traced: {
    calls: {
      total: { name: "total", conditions: { pre: `${amount} > BigInt.zero()` } },
      needed: { name: "balanceOf", params: "event.params.who", required: true },
    },
    entities: { Seen: { "total uint256": "calls.total", "reverted bool": "calls.total_reverted" } },
  },
};
