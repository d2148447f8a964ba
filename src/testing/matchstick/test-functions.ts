import { readEntity, readStoreValue, writeEntity } from "../../runtime/wasm/entity-in-heap.js";
import { readAddress, readEthereumValue } from "../../runtime/wasm/ethereum-in-heap.js";
import { hostFunctions } from "../../runtime/wasm/host/host-functions.js";
import type { HostSession } from "../../runtime/wasm/host/session.js";
import type { JsonTree } from "../../runtime/wasm/json.js";
import { parseJsonTree } from "../../runtime/wasm/json.js";
import type { HostFunctions } from "../../runtime/wasm/webassembly.js";
import type { StoreValue } from "../../subgraph/schema/entity.js";
import { type LineLevel, lineLevels } from "../outcome.js";
import {
  type Complaint,
  complaintText,
  countComplaint,
  fieldComplaint,
  presenceComplaint,
  sourceComplaint,
  valueComplaint,
} from "./assertions.js";
import { entityJson } from "./shown-values.js";
import { StopError } from "./stop-error.js";
import { type TestWorld, zeroAddress } from "./test-world.js";

/** Something that a test file registers. */
export type Registered =
  | { readonly kind: "test"; readonly name: string; readonly shouldFail: boolean; readonly index: number }
  | { readonly kind: "describe"; readonly name: string; readonly index: number }
  | { readonly kind: HookKind; readonly index: number };

export const hookKinds = ["beforeAll", "afterAll", "beforeEach", "afterEach"] as const;
export type HookKind = (typeof hookKinds)[number];

/** The state that the host functions of tests change. */
export interface TestHost {
  readonly session: HostSession;
  readonly world: TestWorld;
  register(item: Registered): void;
  print(level: LineLevel, text: string): void;
  /** Calls an exported function with a value of a file. */
  callback(name: string, value: JsonTree, userData: StoreValue): void;
  /** Notes that a handler ran, by its number. */
  ran(handler: number): void;
}

/** All functions that a test file can import, by field name: those of mappings, and those of matchstick-as. */
export function testFunctions(host: TestHost): HostFunctions {
  return {
    ...hostFunctions(host.session, host.callback),
    ...registering(host),
    ...asserting(host),
    ...mocking(host),
    ...storing(host),
    ...reading(host),
    "graphloom.ran": (handler = 0) => {
      host.ran(handler);
      return undefined;
    },
  };
}

function registering({ session, register }: TestHost): HostFunctions {
  const { heap } = bound(session);
  return {
    _registerTest: (name = 0, shouldFail = 0, index = 0) => {
      register({ kind: "test", name: heap().readString(name), shouldFail: shouldFail !== 0, index });
      return undefined;
    },
    _registerDescribe: (name = 0, index = 0) => {
      register({ kind: "describe", name: heap().readString(name), index });
      return undefined;
    },
    _registerHook: (index = 0, kind = 0) => {
      const name = heap().readString(kind);
      const known = hookKinds.find((each) => each === name);
      if (!known) throw new StopError(`Unrecognized function type \`${name}\``);
      register({ kind: known, index });
      return undefined;
    },
  };
}

/** Each assertion exists with and without a message, whose pointer is the last argument. */
function asserting({ session, world, print }: TestHost): HostFunctions {
  const { heap, text } = bound(session);
  const verdict = (complaint: Complaint | undefined, message?: string): number => {
    if (!complaint) return 1;
    print("error", complaintText(complaint, message));
    return 0;
  };
  const fields = (type = 0, id = 0, field = 0, expected = 0): Complaint | undefined =>
    fieldComplaint(world, text(type), text(id), text(field), text(expected));
  const values = (expected = 0, actual = 0): Complaint | undefined =>
    valueComplaint(readEthereumValue(heap(), expected), readEthereumValue(heap(), actual));
  const absence = (type = 0, id = 0): Complaint | undefined => presenceComplaint(world, text(type), text(id));
  const count = (template = 0, expected = 0): Complaint | undefined =>
    countComplaint(world, text(template), expected);
  const exists = (template = 0, address = 0): Complaint | undefined =>
    sourceComplaint(world, text(template), text(address));
  const both = (name: string, complaint: (...args: number[]) => Complaint | undefined): HostFunctions => ({
    [`_assert.${name}`]: (...args) => verdict(complaint(...args)),
    [`_assert.${name}WithMessage`]: (...args) => verdict(complaint(...args), text(args.at(-1))),
  });
  return {
    ...both("fieldEquals", fields),
    ...both("equals", values),
    ...both("notInStore", absence),
    ...both("dataSourceCount", count),
    ...both("dataSourceExists", exists),
  };
}

function mocking({ session, world, callback }: TestHost): HostFunctions {
  const { heap, text } = bound(session);
  return {
    mockFunction: (address = 0, name = 0, signature = 0, args = 0, returned = 0, reverts = 0) => {
      const valuesAt = (at: number) =>
        heap()
          .readArray(at)
          .map((item) => readEthereumValue(heap(), item));
      const call = {
        address: readAddress(heap(), address),
        name: text(name),
        signature: text(signature),
        args: valuesAt(args),
      };
      world.calls.mock(call, reverts === 0 ? valuesAt(returned) : undefined);
      return undefined;
    },
    mockIpfsFile: (hash = 0, path = 0) => {
      world.files.set(text(hash), text(path));
      return undefined;
    },
    "dataSourceMock.setReturnValues": (address = 0, network = 0, context = 0) => {
      world.source = {
        address: text(address),
        network: text(network),
        context: readEntity(heap(), context),
      };
      return undefined;
    },
    "dataSource.address": () => heap().bytes(addressBytes(world.address)),
    "dataSource.network": () => heap().string(world.network),
    "dataSource.context": () => writeEntity(heap(), world.context),
    "ipfs.map": (hash = 0, name = 0, userData = 0) => {
      const values = itemsOf(world.neededFile(text(hash)));
      const [callbackName, data] = [text(name), readStoreValue(heap(), userData, 0)];
      for (const value of values) callback(callbackName, value, data);
      return undefined;
    },
  };
}

function storing({ session, world, print }: TestHost): HostFunctions {
  const { heap, text } = bound(session);
  const debug = (value: unknown): undefined => {
    print("debug", JSON.stringify(value, null, 2));
    return undefined;
  };
  return {
    clearStore: () => {
      world.clear();
      return undefined;
    },
    clearInBlockStore: () => {
      world.clearInBlock();
      return undefined;
    },
    mockInBlockStore: (type = 0, id = 0, data = 0) => {
      world.setInBlock(text(type), text(id), readEntity(heap(), data));
      return undefined;
    },
    countEntities: (type = 0) => world.entities.get(text(type))?.size ?? 0,
    logStore: () => {
      const store = [...world.entities].map(([type, entities]) => [
        type,
        Object.fromEntries([...entities].map(([id, entity]) => [id, entityJson(entity)])),
      ]);
      return debug(Object.fromEntries(store));
    },
    logEntity: (type = 0, id = 0, withRelated = 0) =>
      debug(entityWithRelated(world, text(type), text(id), withRelated !== 0)),
    logDataSources: (template = 0) => {
      const name = text(template);
      const sources = world.sources.get(name);
      if (!sources) throw new StopError(`(logDataSources) No template with name '${name}' found.`);
      const shown = [...sources].map(([address, { kind, context }]) => [
        address,
        { kind, name, address, context: context ? entityJson(context) : null },
      ]);
      return debug(Object.fromEntries(shown));
    },
  };
}

function reading({ session, world, print }: TestHost): HostFunctions {
  const { heap, text } = bound(session);
  return {
    readFile: (path = 0) => heap().bytes(world.readFile(text(path))),
    "log.log": (level = 0, message = 0) => {
      const name = lineLevels[level] ?? "debug";
      if (name === "critical") throw new StopError(text(message));
      print(name, text(message));
      return undefined;
    },
  };
}

/** The heap of the running instance, which changes from run to run, and its strings. */
function bound(session: HostSession) {
  return {
    heap: () => session.heap,
    text: (at = 0): string => session.heap.readString(at),
  };
}

/** An address as its bytes; anything else, such as the hash of a file, as text. */
function addressBytes(address: string): Uint8Array {
  const isAddress = /^0x[0-9a-f]{40}$/i.test(address);
  return isAddress ? Buffer.from(address.slice(2), "hex") : Buffer.from(address || zeroAddress);
}

const utf8 = new TextDecoder();

/** The items of a file for `ipfs.map`: of one JSON list, as matchstick reads it, or one on each line, as graph-node does. */
function itemsOf(content: Uint8Array): readonly JsonTree[] {
  const text = utf8.decode(content);
  if (!text.trimStart().startsWith("[")) {
    return text
      .split("\n")
      .filter((line) => line.trim() !== "")
      .map(parseJsonTree);
  }
  const tree = parseJsonTree(text);
  return tree.kind === "array" ? tree.value : [tree];
}

/** The stored fields of an entity, and the entities of its derived fields. */
function entityWithRelated(
  world: TestWorld,
  type: string,
  id: string,
  withRelated: boolean,
): Readonly<Record<string, unknown>> {
  const definition = world.subgraph.schema.types.get(type);
  if (!definition) {
    throw new StopError(`(logEntity) Entity "${type}" does not match any of the schema definitions`);
  }
  const entity = world.get(type, id);
  if (!entity) return {};
  const derived = [...definition.fields.values()].filter(({ derivedFrom }) => derivedFrom !== undefined);
  return {
    ...entityJson(entity),
    ...(withRelated &&
      Object.fromEntries(derived.map(({ name }) => [name, world.related(type, id, name).map(entityJson)]))),
  };
}
