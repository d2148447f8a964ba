import { Interface } from "ethers";
import type { Compilation } from "../../src/exports/index.js";
import { type Anvil, type Contract, callOf, type Sending } from "../support/chain/anvil.js";
import { compileContract } from "../support/chain/solidity.js";
import { buildConfig, type PlainEntity, type Ran } from "./harness.js";

/** A factory of tokens, and tokens that announce themselves when they are made and count what they hold. */
const SOURCE = `
  contract Token {
    event Opened(uint256 number);
    event Moved(address indexed from, address indexed to, uint256 amount);
    mapping(address => uint256) public balanceOf;
    constructor(uint256 number) { emit Opened(number); }
    function move(address to, uint256 amount) external {
      balanceOf[to] += amount;
      emit Moved(msg.sender, to, amount);
    }
    function fail() external pure returns (uint256) { revert("no"); }
  }
  contract Factory {
    event Made(address token, uint256 number);
    Token[] public tokens;
    function make(uint256 times) external {
      for (uint256 i = 0; i < times; i++) {
        Token token = new Token(tokens.length);
        tokens.push(token);
        emit Made(address(token), tokens.length);
      }
    }
    function announce(uint256 index) external {
      emit Made(address(tokens[index]), index);
    }
    function makeAndMove(address to) external {
      Token token = new Token(tokens.length);
      token.move(to, 7);
      tokens.push(token);
      emit Made(address(token), tokens.length);
      token.move(to, 8);
    }
  }
`;

export const factoryContract = compileContract(SOURCE, "Factory");
export const tokenContract = compileContract(SOURCE, "Token");

/** A subgraph of the factory, its tokens, and a balance for every move. */
export function buildTokens(factory: string, tokenHandler: object = balances): Promise<Compilation> {
  return buildConfig({
    abis: { Factory: factoryContract.abi, Token: tokenContract.abi },
    instances: [
      { abi: "Factory", address: factory, startBlock: 0, chain: "mainnet" },
      {
        abi: "Token",
        source: { abi: "Factory", eventSignature: "Made(address,uint256)", addressParam: "token" },
        enrich: { handlers: { Moved: tokenHandler } },
      },
    ],
  });
}

const balances = {
  calls: { balance: { name: "balanceOf", params: "event.params.to", required: true } },
  entities: {
    Balance: [
      {
        id: 'event.address.toHexString() + "-" + event.params.to.toHexString()',
        explicit_id: true,
        mapping: { "amount uint256": "calls.balance", "moves uint256": "event.block.number" },
      },
    ],
  },
};

export function deployFactory(anvil: Anvil): Promise<Contract> {
  return anvil.deploy(factoryContract.abi, factoryContract.bytecode);
}

/** The token of a number that a factory has made. */
export async function tokenOf(anvil: Anvil, factory: Contract, number: number): Promise<Contract> {
  const address = String(await anvil.view(factory, "tokens", [number])).toLowerCase();
  return { ...factory, address, interface: tokenInterface() };
}

function tokenInterface(): Contract["interface"] {
  return new Interface(tokenContract.abi);
}

/** A transaction that moves tokens to the n-th account. */
export function moving(anvil: Anvil, token: Contract, to: number, amount: number): Sending {
  return callOf(token, "move", [anvil.account(to), amount]);
}

/** Everything in the store, by type. */
export async function everything(ran: Ran): Promise<Readonly<Record<string, readonly PlainEntity[]>>> {
  const types = ["Made", "Opened", "Moved", "Balance"];
  return Object.fromEntries(
    await Promise.all(types.map(async (type) => [type, await ran.all(type)] as const)),
  );
}
