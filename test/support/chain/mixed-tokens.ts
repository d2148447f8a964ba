import { EventFragment } from "ethers";
import { LogDecoder } from "../../../src/datasets/rows/decoded-rows.js";
import { compileContract } from "./solidity.js";

/** Emits a transfer of every kind. */
const source = `
contract Tokens {
  event Transfer(address indexed from, address indexed to, uint256 value);
  event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
  event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
  function transfer(address to, uint256 amount) external {
    emit Transfer(msg.sender, to, amount);
    bytes32 topic = keccak256("Transfer(address,address,uint256)");
    bytes32 from = bytes32(uint256(uint160(msg.sender)));
    bytes32 whom = bytes32(uint256(uint160(to)));
    assembly { log4(0, 0, topic, from, whom, amount) }
    emit TransferSingle(msg.sender, msg.sender, to, amount, 1);
    uint256[] memory both = new uint256[](2);
    (both[0], both[1]) = (amount, amount + 1);
    emit TransferBatch(msg.sender, msg.sender, to, both, both);
  }
}`;

/** A contract whose `transfer` emits the transfers of ERC-20, ERC-721 and ERC-1155. */
export function compileMixedTokens(): ReturnType<typeof compileContract> {
  return compileContract(source, "Tokens");
}

/** Decodes the ERC-20 transfers. */
export function createTransferDecoder(): LogDecoder {
  const event = "event Transfer(address indexed from, address indexed to, uint256 value)";
  return new LogDecoder([{ abi: [JSON.parse(EventFragment.from(event).format("json"))] }]);
}
