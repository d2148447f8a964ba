/** A contract with calls to declare. */
export const SOURCE = `
contract Options {
  struct Terms { address payee; uint256 limit; }
  struct Order { address maker; uint256 size; Terms terms; }
  event Declared(address who, uint256 amount, Order order);
  event Receipt(address who, uint256 amount);
  event Debugged(uint256 amount);
  event Imported(bytes text);
  mapping(address => uint256) public balanceOf;
  uint256 public number = 3;

  function fireDeclared(address who, uint256 amount, Order calldata order) external {
    balanceOf[who] += amount;
    balanceOf[order.maker] += order.size;
    balanceOf[order.terms.payee] += order.terms.limit;
    emit Declared(who, amount, order);
  }
  function fireReceipt(address who, uint256 count) external {
    for (uint256 i = 0; i < count; i++) emit Receipt(who, i);
  }
  function fireDebugged(uint256 amount) external { number = amount; emit Debugged(amount); }
  function fireImported(bytes calldata text) external { emit Imported(text); }
  function broken() external pure returns (uint256) { revert("broken"); }
  function sum(uint256 x, uint256 y) external pure returns (uint256) { return x + y; }
}`;

/** Handlers with declared calls and receipts. */
export const HANDLERS = {
  Declared: {
    calls: {
      own: { name: "balanceOf", params: "event.params.who", declared: true },
      maker: { name: "balanceOf", params: "event.params.order.maker", declared: true },
      payee: { name: "balanceOf", params: "event.params.order.terms.payee", declared: true },
      sum: { name: "sum", params: "event.params.amount, event.params.order.terms.limit", declared: true },
      elsewhere: { name: "number", source: "event.params.who", declared: true },
      fixed: { name: "number", source: "0x00000000000000000000000000000000000000e5", declared: true },
      broken: { name: "broken", declared: true },
      computed: { name: "balanceOf", params: "event.transaction.from", declared: true },
    },
    entities: {
      Told: {
        "own uint256": "calls.own",
        "maker uint256": "calls.maker",
        "payee uint256": "calls.payee",
        "sum uint256": "calls.sum",
        "elsewhere uint256": "calls.elsewhere",
        "fixed uint256": "calls.fixed",
        "broken uint256": "calls.broken",
        "brokenGone bool": "calls.broken_reverted",
        "computed uint256": "calls.computed",
      },
    },
  },
  Receipt: {
    entities: {
      Gas: {
        "used uint256": "event.receipt!.gasUsed",
        "logs int32": "event.receipt!.logs.length",
        "topic bytes32": "event.receipt!.logs[event.receipt!.logs.length - 1].topics[0]",
        "data bytes": "event.receipt!.logs[event.receipt!.logs.length - 1].data",
        "status int32": "event.receipt!.status.toI32()",
      },
    },
  },
};
/** Handlers that require an import. */
export const IMPORTED = {
  Imported: {
    entities: {
      Parsed: {
        "answer uint256": "json.fromBytes(event.params.text).toObject().mustGet('answer').toBigInt()",
        "kind int32": "json.fromBytes(event.params.text).kind as i32",
        "isObject bool": "json.fromBytes(event.params.text).kind == JSONValueKind.OBJECT",
      },
    },
  },
};
/** One call for each outcome. */
export const DEBUGGED = {
  Debugged: {
    calls: {
      broken: { name: "broken" },
      number: { name: "number", required: true, conditions: { pre: "event.params.amount > BigInt.zero()" } },
      sum: {
        name: "sum",
        params: "calls.number, calls.number",
        conditions: { post: "result.value < BigInt.fromI32(10)" },
      },
    },
    entities: { Traced: { "amount uint256": "event.params.amount" } },
  },
};
/** A required call that always reverts. */
export const FAILING = {
  Debugged: {
    calls: { broken: { name: "broken", required: true } },
    entities: { Untraced: { "amount uint256": "event.params.amount" } },
  },
};
