import { compileContract } from "../../support/chain/solidity.js";

/** A contract that emits events with values of up to 256 bits. */
const source = `
contract Mover {
  event Transfer(address indexed from, address indexed to, uint256 amount);
  event Named(string indexed name, string text, int256 number, bytes4[] parts);
  function move(address to, uint256 amount) external payable { emit Transfer(msg.sender, to, amount); }
  function named(string calldata name, int256 number, bytes4[] calldata parts) external {
    emit Named(name, name, number, parts);
  }
}`;

export const moverContract = compileContract(source, "Mover");
