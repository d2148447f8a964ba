import { keccak256 } from "../../../base/keccak.js";
import { DeterministicError } from "../../errors.js";
import { logLevels } from "../../values.js";
import { AbortError } from "../failures.js";
import type { HostFunction, HostFunctions } from "../webassembly.js";
import { conversionFunctions } from "./conversion-functions.js";
import { dataSourceFunctions } from "./data-source-functions.js";
import { ethereumFunctions } from "./ethereum-functions.js";
import { ipfsFunctions, type RunCallback } from "./ipfs-functions.js";
import { bigDecimalFunctions, bigIntFunctions } from "./number-functions.js";
import type { HostSession } from "./session.js";
import { storeFunctions } from "./store-functions.js";
import { textFunctions } from "./text-functions.js";

/** All functions that an Ethereum mapping of API version 0.0.10 can import, by field name of the import. */
export function hostFunctions(session: HostSession, runCallback: RunCallback): HostFunctions {
  return {
    abort: (message = 0, file = 0, line = 0, column = 0) => {
      const { heap } = session;
      const reason = heap.readOptionalString(message);
      throw new AbortError(reason, heap.readOptionalString(file), line >>> 0, column >>> 0);
    },
    "log.log": (level = 0, message = 0) => logMessage(session, level, message),
    "crypto.keccak256": (data = 0) => session.heap.hex(keccak256(session.heap.readBytes(data))),
    "gas.gas": () => undefined,
    ...storeFunctions(session),
    ...ethereumFunctions(session),
    ...conversionFunctions(session),
    ...bigIntFunctions(session),
    ...bigDecimalFunctions(session),
    ...textFunctions(session),
    ...dataSourceFunctions(session),
    ...ipfsFunctions(session, runCallback),
    "ens.nameByHash": (hash = 0) => {
      const { heap, world, tally } = session;
      tally.add("calls");
      const name = world.ensName(heap.readString(hash));
      return name === null ? 0 : heap.string(name);
    },
    ...removed(["arweave.transactionData", "box.profile"]),
  };
}

function logMessage({ heap, world, tally }: HostSession, level: number, message: number): undefined {
  const text = heap.readString(message);
  tally.add("logLines");
  tally.add("logText", text.length);
  const name = logLevels[level] ?? "debug";
  world.log(name, text);
  if (name === "critical")
    throw new DeterministicError(`Critical error logged in mapping with log message: ${text}`);
}

function removed(names: readonly string[]): HostFunctions {
  const failing = (name: string): HostFunction => {
    return () => {
      throw new DeterministicError(`\`${name}\` has been removed`);
    };
  };
  return Object.fromEntries(names.map((name) => [name, failing(name)]));
}
