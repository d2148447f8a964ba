import type { Anvil, Contract } from "./anvil.js";
import { compileContract } from "./solidity.js";

const SOURCE = `
contract Base {
  mapping(address => uint256) public balanceOf;
  event Transfer(address indexed from, address indexed to, uint256 value);

  constructor() {
    balanceOf[msg.sender] = 1e24;
    emit Transfer(address(0), msg.sender, 1e24);
  }

  function transfer(address to, uint256 value) external virtual returns (bool) {
    move(msg.sender, to, value);
    return true;
  }

  function move(address from, address to, uint256 value) internal {
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }
}

/// One hundredth of a transfer is burnt.
contract Taxed is Base {
  string public name = "Taxed";
  string public symbol = "TAX";
  uint8 public decimals = 18;

  function transfer(address to, uint256 value) external override returns (bool) {
    move(msg.sender, to, value - value / 100);
    move(msg.sender, address(0), value / 100);
    return true;
  }
}

/// Names as the first tokens had them.
contract Old is Base {
  bytes32 public name = "Old Token";
  bytes32 public symbol = "OLD";
  uint256 public decimals = 18;
}

/// All balances but that of the sender grow without an event.
contract Rebasing is Base {
  string public name = "Rebasing";
  string public symbol = "REB";
  uint8 public decimals = 18;

  function grow(address owner) external {
    balanceOf[owner] *= 2;
  }
}

/// One hundredth of a transfer gets lost, and its event says nothing of that.
contract Skimming is Base {
  function transfer(address to, uint256 value) external override returns (bool) {
    move(msg.sender, to, value);
    balanceOf[to] -= value / 100;
    return true;
  }
}

contract Hostile {
  event Transfer(address indexed from, address indexed to, uint256 value);

  function transfer(address to, uint256 value) external returns (bool) {
    emit Transfer(msg.sender, to, value);
    return true;
  }
}

/// Each caller gets a different number.
contract TwoFaced is Hostile {
  function balanceOf(address) external view returns (uint256) {
    return uint160(msg.sender) % 1000;
  }
}

contract Greedy is Hostile {
  uint256 public totalSupply = 1000;

  function balanceOf(address) external pure returns (uint256) {
    return type(uint256).max;
  }
}

contract Refusing is Hostile {
  function balanceOf(address) external pure returns (uint256) {
    revert("no");
  }
}

/// Uses up all gas.
contract Endless is Hostile {
  function balanceOf(address) external view returns (uint256 total) {
    for (uint256 i = 1; i > 0; i++) total += gasleft();
  }
}

/// Answers with a megabyte, which is not a number either.
contract Verbose is Hostile {
  function balanceOf(address) external pure {
    assembly {
      return(0, 1000000)
    }
  }
}

/// Says that it has moved what it has not.
contract Idle is Hostile {
  mapping(address => uint256) public balanceOf;
}

contract Silent is Hostile {
  function balanceOf(address) external pure {}
}
`;

/** Tokens that do not behave as most do. The first account has all of those that keep balances. */
export type OddToken =
  /** Without a name, a symbol and decimals. */
  | "Base"
  /** Takes a fee of each transfer. */
  | "Taxed"
  /** Name and symbol have the type `bytes32`. */
  | "Old"
  /** Balances change without an event: `grow(owner)`. */
  | "Rebasing"
  /** Takes a fee that its events do not show. */
  | "Skimming"
  /** `balanceOf` depends on who asks. */
  | "TwoFaced"
  /** `balanceOf` is more than `totalSupply`. */
  | "Greedy"
  /** `balanceOf` reverts. */
  | "Refusing"
  /** `balanceOf` never ends. */
  | "Endless"
  /** `balanceOf` answers with a megabyte of zeros. */
  | "Verbose"
  /** Its transfers move nothing. */
  | "Idle"
  /** `balanceOf` answers with nothing. */
  | "Silent";

/** Deploys a token that does not behave as most do. */
export function deployOddToken(anvil: Anvil, which: OddToken): Promise<Contract> {
  const { abi, bytecode } = compileContract(SOURCE, which);
  return anvil.deploy(abi, bytecode);
}
