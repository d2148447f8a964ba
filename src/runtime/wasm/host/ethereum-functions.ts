import { decodeParameters, decodeValue, encodeValue } from "../../abi/encode-value.js";
import {
  readAddress,
  readContractCall,
  readEthereumValue,
  writeEthereumValue,
  writeEthereumValues,
} from "../ethereum-in-heap.js";
import type { HostFunction, HostFunctions } from "../webassembly.js";
import type { HostSession } from "./session.js";

export function ethereumFunctions(session: HostSession): HostFunctions {
  return {
    "ethereum.call": (call = 0) => {
      session.tally.add("calls");
      const values = session.world.call(readContractCall(session.heap, call));
      return values ? writeEthereumValues(session.heap, values) : 0;
    },
    "ethereum.getBalance": (address = 0) => {
      session.tally.add("calls");
      return session.heap.bigInt(session.world.balance(readAddress(session.heap, address)));
    },
    "ethereum.hasCode": (address = 0) => {
      session.tally.add("calls");
      return session.heap.wrappedBool(session.world.hasCode(readAddress(session.heap, address)));
    },
    "ethereum.encode": (value = 0) => {
      const encoded = encodeValue(readEthereumValue(session.heap, value));
      return encoded === undefined ? 0 : session.heap.hex(encoded);
    },
    "ethereum.decode": decoding(session, decodeValue),
    "ethereum.decodeParams": decoding(session, decodeParameters),
  };
}

/** A function of a type and data that gives null for data that does not match. */
function decoding(session: HostSession, decode: typeof decodeValue): HostFunction {
  return (types = 0, data = 0) => {
    const { heap } = session;
    const value = decode(heap.readString(types), heap.readHex(data));
    return value ? writeEthereumValue(heap, value) : 0;
  };
}
