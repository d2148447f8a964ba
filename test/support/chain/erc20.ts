import type { Anvil, Contract } from "./anvil.js";
import { compileContract } from "./solidity.js";

const SOURCE = `
contract Token {
  string public name;
  string public symbol;
  uint8 public decimals;
  uint256 public totalSupply;
  mapping(address => uint256) public balanceOf;
  mapping(address => mapping(address => uint256)) public allowance;

  event Transfer(address indexed from, address indexed to, uint256 value);
  event Approval(address indexed owner, address indexed spender, uint256 value);

  constructor(string memory name_, string memory symbol_, uint8 decimals_, uint256 supply) {
    name = name_;
    symbol = symbol_;
    decimals = decimals_;
    totalSupply = supply;
    balanceOf[msg.sender] = supply;
    emit Transfer(address(0), msg.sender, supply);
  }

  function approve(address spender, uint256 value) external returns (bool) {
    allowance[msg.sender][spender] = value;
    emit Approval(msg.sender, spender, value);
    return true;
  }

  function transfer(address to, uint256 value) external returns (bool) {
    move(msg.sender, to, value);
    return true;
  }

  /// Emits one Transfer for each of count transfers of value each.
  function transferMany(address to, uint256 value, uint256 count) external {
    for (uint256 i = 0; i < count; i++) move(msg.sender, to, value);
  }

  function transferFrom(address from, address to, uint256 value) external returns (bool) {
    allowance[from][msg.sender] -= value;
    move(from, to, value);
    return true;
  }

  function move(address from, address to, uint256 value) private {
    balanceOf[from] -= value;
    balanceOf[to] += value;
    emit Transfer(from, to, value);
  }
}
`;

/** The metadata of a token. */
export interface TokenDescription {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** The whole supply belongs to the first account. */
  readonly supply: bigint;
}

/** Deploys an ERC-20 token that also has `transferMany(to, value, count)`. */
export function deployToken(anvil: Anvil, token: TokenDescription): Promise<Contract> {
  const { abi, bytecode } = compileContract(SOURCE, "Token");
  return anvil.deploy(abi, bytecode, [token.name, token.symbol, token.decimals, token.supply]);
}
