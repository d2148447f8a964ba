/** A contract with call handlers, and one that calls it. */
export const SOURCE = `
contract Shop {
  struct Inner { bytes4 sel; int64 x; }
  struct Order { address maker; uint8 kind; Inner inner; }
  struct Item { address to; uint256 amount; }
  event Reset(uint256 total);
  uint256 public total;

  function pay(address, uint256 value) public returns (bool ok) {
    total += value;
    require(value != 13, "unlucky");
    return value < 1000;
  }
  function pay(address to) external { pay(to, 1); }
  function submit(Order calldata order, uint256[] calldata ids) external payable returns (Item memory made, bool) {
    return (Item(order.maker, ids[0]), true);
  }
  function batch(Item[] calldata items, uint8[][] calldata) external returns (Item[] memory made, uint256[2] memory) {
    made = items;
    total++;
    return (made, [total, items.length]);
  }
  function bare(uint256 x, address[] calldata, bytes calldata) external returns (uint256, string memory, bytes32 key) {
    total++;
    return (x + 1, "five", keccak256("six"));
  }
  function reset() external { emit Reset(total); total = 0; }
  function broken() external pure returns (uint256) { revert("broken"); }
}
contract Mall {
  event Opened(Shop shop);
  function open(address to) external {
    Shop shop = new Shop();
    shop.pay(to, 8);
    emit Opened(shop);
  }
}
contract Customer {
  function twice(Shop shop, address to, uint256 value) external { shop.pay(to, value); shop.pay(to, value); }
  function mixed(Shop one, Shop two, address to) external {
    one.reset();
    one.pay(to, 5);
    two.pay(to, 5);
    one.pay(to);
    one.reset();
  }
  function careful(Shop shop, address to) external {
    try shop.pay(to, 13) {} catch {}
    try this.giveUp(shop, to) {} catch {}
    shop.pay(to, 6);
  }
  function giveUp(Shop shop, address to) external { shop.pay(to, 7); revert(); }
}`;

/** Handlers of functions, and of an event that writes the same entity types. */
export const HANDLERS = {
  "pay(address,uint256)": {
    calls: {
      broken: { name: "broken" },
      total: {
        name: "total",
        required: true,
        declared: true,
        conditions: { pre: "call.outputs.ok", post: "result.value > BigInt.fromI32(100)" },
      },
    },
    entities: {
      Payment: {
        "to address": "call.inputs.value0.toHexString()",
        "by address": "call.from.toHexString()",
        "total uint256": "calls.total",
        "broken uint256": "calls.broken",
        "brokenGone bool": "calls.broken_reverted",
      },
      Payer: [
        {
          id: "call.from.toHexString()",
          explicit_id: true,
          mapping: { "last uint256": "call.inputs.value", "trigger string": "entity.id" },
        },
      ],
    },
  },
  "reset()": { entities: { Movement: { "what string": '"reset called"' } } },
  "pay(address)": { entities: { Movement: { "what string": '"paid one"' } } },
  "Reset(uint256)": { entities: { Movement: { "what string": '"reset"' } } },
};
