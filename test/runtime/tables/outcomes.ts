const EVENTS = ["Optional", "Flags", "Required", "Dependency", "Pre", "Post", "BarePost", "Order", "NotYet"];
/** A contract whose functions fail in the way that their argument selects. */
export const SOURCE = `
contract Outcomes {
  struct Place { address pool; int24 tick; }
  error Refused(address who, uint256 code);
  ${EVENTS.map((name) => `event ${name}(uint8 how, uint256 amount);`).join("\n")}

  uint256 private stored;
  address private after_;
  constructor(address next_) { after_ = next_; }

  ${EVENTS.map(
    (name) => `
  function fire${name}(uint8 how, uint256 amount) external { stored = amount; emit ${name}(how, amount); }`,
  ).join("")}

  function fail(uint8 how) private view {
    if (how == 1) revert();
    if (how == 2) revert("refused");
    if (how == 3) revert Refused(msg.sender, 4);
    if (how == 4) assert(how == 0);
    if (how == 5) { uint256 zero = how - 5; zero = 1 / zero; }
    if (how == 6) { uint256[] memory none = new uint256[](0); none[how] = 1; }
    if (how == 7) assembly { for {} 1 {} { pop(exp(gas(), not(0))) } }
    if (how == 8) assembly { invalid() }
    if (how == 9) this.number(2);
    if (how == 10) assembly { return(0, 0) }
    if (how == 11) assembly { return(0, 16) }
  }
  modifier may(uint8 how) { fail(how); _; }

  function number(uint8 how) external view may(how) returns (uint256) { return stored; }
  function small(uint8 how) external view may(how) returns (uint8) { return uint8(stored + 200); }
  function flag(uint8 how) external view may(how) returns (bool) { return stored > 0; }
  function text(uint8 how) external view may(how) returns (string memory) { return stored > 0 ? "some" : ""; }
  function list(uint8 how) external view may(how) returns (uint256[] memory found) {
    found = new uint256[](stored > 0 ? 2 : 0);
    if (stored > 0) found[1] = stored;
  }
  function digest(uint8 how) external view may(how) returns (bytes32) { return keccak256(abi.encode(stored)); }
  function next(uint8 how) external view may(how) returns (address) { return after_; }
  function place(uint8 how) external view may(how) returns (Place memory) {
    return Place(after_, -int24(int256(stored)));
  }
  function pair(uint8 how) external view may(how) returns (uint256 left, bool right) { return (stored, true); }
  function level() external pure returns (uint256) { return 100; }
}`;

const how = { params: "event.params.how" };
const amount = { "amount uint256": "event.params.amount" };
/** Handlers for every outcome of a call. */
export const HANDLERS = {
  Optional: {
    calls: {
      number: { name: "number", ...how },
      small: { name: "small", ...how },
      flag: { name: "flag", ...how },
      text: { name: "text", ...how },
      list: { name: "list", ...how },
      digest: { name: "digest", ...how },
      next: { name: "next", ...how },
      place: { name: "place", ...how },
      pair: { name: "pair", ...how },
      nobody: { name: "number", source: "0x00000000000000000000000000000000000000e5", ...how },
    },
    entities: {
      Seen: {
        "number uint256": "calls.number",
        "small uint8": "calls.small",
        "flag bool": "calls.flag",
        "text string": "calls.text",
        "list uint256[]": "calls.list",
        "digest bytes32": "calls.digest",
        "next address": 'calls.next === null ? "none" : calls.next!.toHexString()',
        "tick int24": "calls.place === null ? 1 : calls.place!.tick",
        "left uint256": "calls.pair === null ? BigInt.fromI32(-1) : calls.pair!.getLeft()",
        "nobody uint256": "calls.nobody",
        "numberGone bool": "calls.number_reverted",
        "smallGone bool": "calls.small_reverted",
        "flagGone bool": "calls.flag_reverted",
        "textGone bool": "calls.text_reverted",
        "listGone bool": "calls.list_reverted",
        "digestGone bool": "calls.digest_reverted",
        "nextGone bool": "calls.next_reverted",
        "placeGone bool": "calls.place_reverted",
        "pairGone bool": "calls.pair_reverted",
        "nobodyGone bool": "calls.nobody_reverted",
      },
    },
  },
  Flags: {
    calls: {
      small: { name: "small", ...how },
      level: { name: "level", conditions: { pre: "!calls.small_reverted" } },
    },
    entities: { Flagged: { "level uint256": "calls.level", "small uint8": "calls.small" } },
  },
  Required: {
    calls: {
      first: { name: "level" },
      needed: { name: "text", required: true, ...how },
      last: { name: "flag", params: "0" },
    },
    entities: { Kept: { "text string": "calls.needed" }, Required: { "text string": "calls.needed" } },
  },
  Dependency: {
    calls: {
      next: { name: "next", ...how },
      level: { name: "level", source: "calls.next", depends_on: ["next"] },
    },
    entities: { Dependent: { "next address": "calls.next.toHexString()", "level uint256": "calls.level" } },
  },
  Pre: {
    calls: {
      number: { name: "number", conditions: { pre: "event.params.amount > BigInt.fromI32(10)" }, ...how },
      level: { name: "level" },
    },
    entities: { Above: { "number uint256": "calls.number", "level uint256": "calls.level" } },
  },
  Post: {
    calls: {
      number: {
        name: "number",
        conditions: { post: "result.value > BigInt.fromI32(10) && calls.number! == result.value" },
        ...how,
      },
      level: { name: "level" },
    },
    entities: { Checked: { "number uint256": "calls.number", "level uint256": "calls.level" } },
  },
  BarePost: {
    calls: { number: { name: "number", conditions: { post: "true" }, ...how } },
    entities: { Certain: amount },
  },
  Order: {
    calls: {
      level: { name: "level" },
      next: { name: "next", params: "0" },
      after: { name: "next", source: "calls.next", params: "0", depends_on: ["next"] },
      last: { name: "number", source: "calls.after", depends_on: ["level", "after"], ...how },
    },
    entities: { Chain: { "after address": "calls.after.toHexString()", "last uint256": "calls.last" } },
  },
  NotYet: {
    calls: {
      early: { name: "number", params: "calls.late === null ? 0 : 2" },
      late: { name: "next", params: "0" },
      afterwards: { name: "number", params: "calls.late === null ? 2 : 0" },
    },
    entities: {
      Early: { "early uint256": "calls.early", "afterwards uint256": "calls.afterwards" },
    },
  },
};

/**
 * Failures that count as a revert. Running out of gas (7) does not, because of anvil's error message: graph-node would
 * also retry it for ever. Kind 0 succeeds.
 */
export const FAILURES = [
  [1, "revert without a reason"],
  [2, "revert with a reason"],
  [3, "a custom error"],
  [4, "a failed assertion"],
  [5, "a division by zero"],
  [6, "an index out of bounds"],
  [8, "an invalid instruction"],
  [9, "a failure of a call further in"],
  [10, "an empty answer"],
  [11, "an answer that is too short"],
] as const;

/** The sent events: name, kind of outcome, amount. */
export const SENT: readonly (readonly [event: string, how: number, amount: number])[] = [
  ["Optional", 0, 7],
  ["Optional", 0, 0],
  ...FAILURES.map(([kind]) => ["Optional", kind, 7] as const),
  ["Flags", 0, 7],
  ["Flags", 2, 7],
  ["Required", 0, 7],
  ...FAILURES.map(([kind]) => ["Required", kind, 7] as const),
  ["Required", 0, 8],
  ["Dependency", 0, 7],
  ["Dependency", 2, 7],
  ["Pre", 0, 10],
  ["Pre", 0, 11],
  ["Pre", 2, 11],
  ["Post", 0, 10],
  ["Post", 0, 11],
  ["Post", 2, 11],
  ["BarePost", 0, 7],
  ["BarePost", 2, 7],
  ["Order", 0, 7],
  ["Order", 3, 7],
  ["NotYet", 0, 7],
];
