import { AbiCoder } from "ethers";
import type { Anvil, Contract } from "./anvil.js";
import { compileContract } from "./solidity.js";

const SOURCE = `
/// Answers to name(), symbol() and decimals() with the bytes that it was given, and shapes its events as its constructor says.
contract Told {
  mapping(address => uint256) internal balances;
  /// Contracts whose code is a zero and the answer.
  mapping(bytes4 => address) private answers;
  uint8 private immutable topics;
  uint8 private immutable words;
  bool private immutable isDirty;

  constructor(bytes4[] memory selectors, address[] memory said, uint8 topics_, uint8 words_, bool isDirty_) {
    (topics, words, isDirty) = (topics_, words_, isDirty_);
    for (uint256 i = 0; i < selectors.length; i++) answers[selectors[i]] = said[i];
    balances[msg.sender] = 1e60;
    log(address(0), msg.sender, 1e60);
  }

  function balanceOf(address owner) external view virtual returns (uint256) {
    return balances[owner];
  }

  function transfer(address to, uint256 value) external virtual {
    balances[msg.sender] -= value;
    balances[to] += value;
    log(msg.sender, to, value);
  }

  /// As much as can be held.
  function fill(address to) external {
    log(address(0), to, type(uint256).max - balances[to]);
    balances[to] = type(uint256).max;
  }

  function log(address from, address to, uint256 value) internal {
    bytes32 t = keccak256("Transfer(address,address,uint256)");
    uint256 dirt = isDirty ? uint256(0xdeadbeef) << 160 : 0;
    bytes32 a = bytes32(uint256(uint160(from)) | dirt);
    bytes32 b = bytes32(uint256(uint160(to)) | dirt);
    bytes memory data = topics == 1 ? abi.encode(a, b, value) : topics == 2 ? abi.encode(b, value)
      : topics == 3 ? abi.encode(value) : new bytes(0);
    if (words > 1) data = bytes.concat(data, new bytes(32 * (words - 1)));
    uint256 n = topics;
    assembly {
      let p := add(data, 32)
      let s := mload(data)
      switch n
      case 1 { log1(p, s, t) }
      case 2 { log2(p, s, t, a) }
      case 3 { log3(p, s, t, a, b) }
      default { log4(p, s, t, a, b, value) }
    }
  }

  fallback() external {
    address said = answers[msg.sig];
    require(said != address(0), "not here");
    assembly {
      let size := sub(extcodesize(said), 1)
      extcodecopy(said, 0, 1, size)
      return(0, size)
    }
  }
}

/// A collection of unique tokens. Its events have the topics of the standard, or of one of its drafts.
contract Unique is Told {
  constructor(bytes4[] memory selectors, address[] memory said, uint8 topics_, uint8 words_, bool isDirty_)
    Told(selectors, said, topics_, words_, isDirty_) {}

  function balanceOf(address owner) external view override returns (uint256) {
    return balances[owner] % 1e60;
  }

  function supportsInterface(bytes4 id) external pure returns (bool) {
    return id == 0x80ac58cd || id == 0x01ffc9a7;
  }

  /// Gives a token with a number of its own.
  function transfer(address to, uint256 value) external override {
    balances[to] += 1;
    log(address(0), to, value);
  }
}
`;

/** How a token is unlike others. */
export interface ToldToken {
  /** What `name()` and `symbol()` answer: a text, or bytes in hex. */
  readonly name?: string | undefined;
  /** What `decimals()` answers, in hex or as a number; it reverts if undefined. */
  readonly decimals?: bigint | string | undefined;
  /** Topics of its `Transfer`: 3 as in ERC-20, 4 as in ERC-721, fewer as in old tokens. */
  readonly topics?: 1 | 2 | 3 | 4;
  /** Whether bytes before addresses in topics are not zeros. */
  readonly isDirty?: boolean;
  /** Words of data, of which the first is the amount. */
  readonly words?: 1 | 2;
  /** Whether it counts unique tokens. */
  readonly isUnique?: boolean;
}

/** The answer of a function that returns a text. */
function textAnswer(text: string | Uint8Array): string {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  return AbiCoder.defaultAbiCoder().encode(["bytes"], [bytes]);
}

const coder = AbiCoder.defaultAbiCoder();
const eighteen = 18n;
const family = "\u{1F468}\u200D\u{1F469}\u200D\u{1F467}";

/** Tokens of every kind that is unlike others, by names. */
export const toldTokens: Readonly<Record<string, ToldToken>> = {
  controls: { name: "U\u0000S\u001B[2J\u0007D", decimals: eighteen },
  bidi: { name: "\u202EDSU\u2066\u2069\u200F", decimals: eighteen },
  joiners: { name: `${family} U\u200DS\u200BD`, decimals: eighteen },
  long: { name: "Long".repeat(5_000), decimals: eighteen },
  invalid: { name: textAnswer(Uint8Array.of(0xc3, 0x28, 0xff, 0x41, 0xed, 0xa0, 0x80)), decimals: eighteen },
  onlyNul: { name: "\u0000".repeat(40), decimals: eighteen },
  noText: { name: `0x${"ff".repeat(32)}`, decimals: eighteen },
  farOffset: { name: coder.encode(["uint256", "uint256"], [2n ** 255n, 2n ** 255n]), decimals: eighteen },
  empty: { name: "0x", decimals: "0x" },
  markup: { name: "=cmd|'/C calc'!A0<script>\"';--", decimals: eighteen },
  astral: { name: "\u{1F4B0}".repeat(300), decimals: eighteen },
  decimals255: { name: "Tiny", decimals: 255n },
  decimals0: { name: "Whole", decimals: 0n },
  decimals256: { name: "Over", decimals: 256n },
  decimalsHuge: { name: "Huge", decimals: 10n ** 30n },
  decimalsMost: { name: "Most", decimals: 2n ** 256n - 1n },
  decimalsShort: { name: "Short", decimals: "0x12" },
  decimalsLong: { name: "Two words", decimals: coder.encode(["uint256", "uint256"], [6n, 18n]) },
  decimalsAbsent: { name: "Absent" },
  nothingSaid: {},
  oneTopic: { name: "Nothing indexed", decimals: 6n, topics: 1 },
  twoTopics: { name: "Sender indexed", decimals: 6n, topics: 2 },
  fourTopics: { name: "All indexed", decimals: 6n, topics: 4 },
  dirty: { name: "Dirty", decimals: 6n, isDirty: true },
  wide: { name: "Wide", decimals: 6n, words: 2 },
  erc721: { name: "Unique", topics: 4, isUnique: true },
  draft721: { name: "Draft", topics: 3, isUnique: true },
  old721: { name: "Kitties", topics: 1, isUnique: true },
};

/** Deploys a token that is unlike others. The first account has 10^60 of it. */
export async function deployTold(anvil: Anvil, token: ToldToken): Promise<Contract> {
  const { name, decimals, topics = 3, words = 1, isDirty = false, isUnique = false } = token;
  const { abi, bytecode } = compileContract(SOURCE, isUnique ? "Unique" : "Told");
  const said = new Map<string, string>();
  if (name !== undefined) {
    const text = await keepAnswer(anvil, name.startsWith("0x") ? name : textAnswer(name));
    for (const selector of ["0x06fdde03", "0x95d89b41"]) said.set(selector, text);
  }
  if (decimals !== undefined) {
    const answer = typeof decimals === "string" ? decimals : coder.encode(["uint256"], [decimals]);
    said.set("0x313ce567", await keepAnswer(anvil, answer));
  }
  return anvil.deploy(abi, bytecode, [[...said.keys()], [...said.values()], topics, words, isDirty]);
}

/** Keeps an answer as the code of a contract, since 20,000 characters of storage need more gas than a block has. */
async function keepAnswer(anvil: Anvil, answer: string): Promise<string> {
  const size = (answer.length / 2).toString(16).padStart(4, "0");
  // Returns all that follows these 12 bytes.
  const init = `0x61${size}80600c6000396000f3`;
  const { address } = await anvil.deploy([], `${init}00${answer.slice(2)}`);
  return address;
}
