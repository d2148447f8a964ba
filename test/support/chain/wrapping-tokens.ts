import type { Anvil, Contract } from "./anvil.js";
import { compileContract } from "./solidity.js";

const SOURCE = `
contract Moved {
  mapping(address => uint256) internal balances;
  event Transfer(address indexed from, address indexed to, uint256 value);

  function balanceOf(address owner) external view virtual returns (uint256) {
    return balances[owner];
  }

  function transfer(address to, uint256 value) external returns (bool) {
    balances[msg.sender] -= value;
    balances[to] += value;
    emit Transfer(msg.sender, to, value);
    return true;
  }
}

/// Wraps ether without a transfer, as the first wrapped ether.
contract Wrapped is Moved {
  string public name = "Wrapped Ether";
  string public symbol = "WETH";
  uint8 public decimals = 18;
  event Deposit(address indexed dst, uint256 wad);
  event Withdrawal(address indexed src, uint256 wad);

  receive() external payable {
    deposit();
  }

  function deposit() public payable virtual {
    balances[msg.sender] += msg.value;
    emit Deposit(msg.sender, msg.value);
  }

  function withdraw(uint256 wad) external virtual {
    balances[msg.sender] -= wad;
    payable(msg.sender).transfer(wad);
    emit Withdrawal(msg.sender, wad);
  }

  /// Two equal deposits in one transaction.
  function depositTwice() external payable {
    balances[msg.sender] += msg.value;
    emit Deposit(msg.sender, msg.value / 2);
    emit Deposit(msg.sender, msg.value / 2);
  }
}

/// Emits a transfer as well.
contract LoudlyWrapped is Wrapped {
  function deposit() public payable override {
    balances[msg.sender] += msg.value;
    emit Transfer(address(0), msg.sender, msg.value);
    emit Deposit(msg.sender, msg.value);
  }

  function withdraw(uint256 wad) external override {
    balances[msg.sender] -= wad;
    payable(msg.sender).transfer(wad);
    emit Withdrawal(msg.sender, wad);
    emit Transfer(msg.sender, address(0), wad);
  }
}

/// Everybody has some before the first transfer, and some get more without an event.
contract Airdropped is Moved {
  string public name = "Airdrop";
  string public symbol = "AIR";
  uint8 public decimals = 6;

  function balanceOf(address owner) external view override returns (uint256) {
    return balances[owner] + 1000000;
  }

  function drop(address owner, uint256 value) external {
    balances[owner] += value;
  }
}

/// Returns the values that it was given.
contract Renamed is Moved {
  string public name = "Before";
  string public symbol = "BEF";
  uint8 public decimals = 6;

  constructor() {
    balances[msg.sender] = 1e24;
    emit Transfer(address(0), msg.sender, 1e24);
  }

  function rename(string memory name_, string memory symbol_, uint8 decimals_) external {
    (name, symbol, decimals) = (name_, symbol_, decimals_);
  }
}

contract Early is Moved {
  function name() external pure returns (string memory) { return "Early"; }
  function symbol() external pure returns (string memory) { return "EAR"; }
  function decimals() external pure returns (uint8) { return 6; }

  function start() external {
    balances[msg.sender] = 1e24;
    emit Transfer(address(0), msg.sender, 1e24);
  }
}

contract Late is Moved {
  function name() external pure returns (string memory) { return "Late"; }
  function symbol() external pure returns (string memory) { return "LAT"; }
  function decimals() external pure returns (uint8) { return 18; }
}

/// Stands before another contract, which may be replaced.
contract Proxy {
  bytes32 private constant PLACE = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc;
  event Upgraded(address indexed implementation);

  constructor(address implementation) {
    upgrade(implementation);
  }

  function upgrade(address implementation) public {
    assembly {
      sstore(PLACE, implementation)
    }
    emit Upgraded(implementation);
  }

  fallback() external payable {
    assembly {
      calldatacopy(0, 0, calldatasize())
      let done := delegatecall(gas(), sload(PLACE), 0, calldatasize(), 0, 0)
      returndatacopy(0, 0, returndatasize())
      if iszero(done) { revert(0, returndatasize()) }
      return(0, returndatasize())
    }
  }
}
`;

/** Tokens whose balances or facts change without a transfer. */
export type WrappingToken =
  /** Wraps ether and emits no transfer: `deposit()`, `withdraw(wad)`, `depositTwice()`. */
  | "Wrapped"
  /** Emits transfers besides. */
  | "LoudlyWrapped"
  /** Everybody has some: `drop(owner, value)` gives more without an event. */
  | "Airdropped"
  /** `rename(name, symbol, decimals)` without an event. */
  | "Renamed"
  | "Early"
  | "Late";

/** Deploys one of them. */
export function deployWrapping(anvil: Anvil, which: WrappingToken): Promise<Contract> {
  const { abi, bytecode } = compileContract(SOURCE, which);
  return anvil.deploy(abi, bytecode);
}

/**
 * Deploys a token behind a proxy.
 * @returns the token, and what replaces the code behind it and tells so in an event
 */
export async function deployUpgradeable(
  anvil: Anvil,
): Promise<{ readonly token: Contract; upgrade(): Promise<void> }> {
  const [early, late] = [await deployWrapping(anvil, "Early"), await deployWrapping(anvil, "Late")];
  const { abi, bytecode } = compileContract(SOURCE, "Proxy");
  const proxy = await anvil.deploy(abi, bytecode, [early.address]);
  const token = { address: proxy.address, interface: early.interface };
  await anvil.send(token, "start");
  return {
    token,
    upgrade: async () => {
      await anvil.send(proxy, "upgrade", [late.address]);
    },
  };
}
