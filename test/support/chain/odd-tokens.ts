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
`;

/** Tokens that do not behave as most do. The first account has all of each. */
export type OddToken =
  /** Without a name, a symbol and decimals. */
  | "Base"
  /** Takes a fee of each transfer. */
  | "Taxed"
  /** Name and symbol have the type `bytes32`. */
  | "Old"
  /** Balances change without an event: `grow(owner)`. */
  | "Rebasing";

/** Deploys a token that does not behave as most do. */
export function deployOddToken(anvil: Anvil, which: OddToken): Promise<Contract> {
  const { abi, bytecode } = compileContract(SOURCE, which);
  return anvil.deploy(abi, bytecode);
}
