import { posix } from "node:path";
import { AbiCoder, EventFragment, FunctionFragment, Interface, id } from "ethers";
import { parse } from "yaml";
import { declaredCall } from "./wasm-declared.js";
import { type AskedCall, hostFunctions } from "./wasm-imports.js";
import { compileModule, WasmMemory } from "./wasm-memory.js";
import { type Entity, WasmStore } from "./wasm-store.js";
import {
  decodeLog,
  decodeTrace,
  encodeLog,
  type Log,
  type Place,
  type Trace,
  TriggerWriter,
} from "./wasm-trigger.js";
import { checkedArgument, type EthereumValue, toEthereumValue } from "./wasm-values.js";

/** A call of a contract; arguments and results are values as ethers takes them. */
export interface ContractCall {
  readonly address: string;
  /** `balanceOf(address)` */
  readonly signature: string;
  readonly args: readonly unknown[];
}

/** A contract's answer: the values it returns, or nothing when it reverts. */
export type Contracts = (call: ContractCall) => readonly unknown[] | undefined;

interface DataSource {
  readonly name: string;
  readonly network: string;
  readonly source: { readonly address: string; readonly abi: string };
  readonly mapping: {
    readonly file: string;
    readonly abis: readonly { readonly name: string; readonly file: string }[];
    readonly eventHandlers?: readonly EventHandler[];
    readonly callHandlers?: readonly { readonly function: string; readonly handler: string }[];
  };
}

interface EventHandler {
  readonly event: string;
  readonly handler: string;
  readonly receipt?: boolean;
  readonly calls?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly dataSources: readonly DataSource[];
  readonly templates?: readonly DataSource[];
}

/** What may be said of a log beside its contents. */
type LogPlace = Partial<Place & { readonly logIndex: number }>;

const coder = AbiCoder.defaultAbiCoder();

/**
 * Runs a built subgraph on logs and calls as graph-node would, and keeps what it does. Data sources that are created
 * listen from the next trigger on.
 */
export class WasmHost {
  /** Every call the mappings made, also those that reverted. */
  readonly calls: ContractCall[] = [];
  /** The calls that the manifest declares for the logs emitted, evaluated. */
  readonly declared: ContractCall[] = [];
  readonly messages: string[] = [];
  readonly created: { readonly template: string; readonly address: string }[] = [];
  readonly store: WasmStore;
  contracts: Contracts = () => undefined;
  readonly #files: ReadonlyMap<string, string | Uint8Array>;
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #dataSources: DataSource[];
  readonly #abis = new Map<string, Interface>();
  readonly #modules = new Map<string, object>();
  #block = 100;
  #logIndex = 0;

  constructor(files: ReadonlyMap<string, string | Uint8Array>, manifest = "build/subgraph.yaml") {
    this.#files = files;
    this.#folder = posix.dirname(manifest);
    this.#manifest = parse(this.#text(manifest)) as Manifest;
    this.#dataSources = [...this.#manifest.dataSources];
    this.store = new WasmStore(this.#text("schema.graphql"));
  }

  /** Every entity of a type, by id. */
  all(entity: string): readonly Entity[] {
    return this.store.all(entity);
  }

  /** Ends the block; the next trigger is in the next one. */
  endBlock(): void {
    this.store.endBlock();
    this.#block += 1;
  }

  /** Emits a log that the chain's own encoding makes of these values, and runs its handlers. */
  emit(
    abi: readonly string[],
    address: string,
    event: string,
    values: readonly unknown[],
    place: LogPlace = {},
  ): Log {
    const { topics, data } = encodeLog(abi, event, values);
    const log = { ...this.#place(address), logIndex: this.#logIndex++, topics, data, ...place };
    let handled = 0;
    for (const dataSource of this.#at(address)) {
      for (const handler of dataSource.mapping.eventHandlers ?? []) {
        if (id(handler.event.replaceAll("indexed ", "")) !== topics[0]) continue;
        this.#handleEvent(dataSource, handler, log);
        handled += 1;
      }
    }
    if (handled === 0) throw new Error(`nothing handles ${event} at ${address}`);
    return log;
  }

  /** Calls a function with these arguments; `outputs` is what it returns. */
  call(
    abi: readonly string[],
    address: string,
    name: string,
    inputs: readonly unknown[],
    outputs: readonly unknown[] = [],
    place: Partial<Trace> = {},
  ): Trace {
    const contract = new Interface(abi);
    const input = contract.encodeFunctionData(name, inputs);
    const output = contract.encodeFunctionResult(name, outputs);
    const from = "0x00000000000000000000000000000000000000f0";
    const trace = { ...this.#place(address), from, input, output, ...place };
    let handled = 0;
    for (const dataSource of this.#at(address)) {
      const wanted = dataSource.mapping.callHandlers ?? [];
      const found = wanted.find((handler) => id(handler.function).slice(0, 10) === input.slice(0, 10));
      const fragment = found && this.#abi(dataSource, dataSource.source.abi).getFunction(found.function);
      if (!found || !fragment) continue;
      const decoded = decodeTrace(fragment, trace);
      this.#run(dataSource, found.handler, (writer) => writer.call(trace, decoded.inputs, decoded.outputs));
      handled += 1;
    }
    if (handled === 0) throw new Error(`nothing handles calls of ${name} at ${address}`);
    return trace;
  }

  #handleEvent(dataSource: DataSource, { event, handler, receipt, calls }: EventHandler, log: Log): void {
    const fragment = this.#abi(dataSource, dataSource.source.abi).fragments.find(
      (candidate) => EventFragment.isFragment(candidate) && manifestForm(candidate) === event,
    );
    if (!EventFragment.isFragment(fragment)) throw new Error(`Event ${event} not found in contract`);
    const parameters = decodeLog(fragment, log);
    for (const text of Object.values(calls ?? {})) {
      this.declared.push(
        declaredCall(text, log.address, fragment, parameters, (abi) => this.#abi(dataSource, abi)),
      );
    }
    this.#run(dataSource, handler, (writer) => writer.event(log, parameters, receipt === true));
  }

  #run(dataSource: DataSource, handler: string, argument: (writer: TriggerWriter) => number): void {
    const world = {
      store: this.store,
      address: dataSource.source.address,
      network: dataSource.network,
      call: (asked: AskedCall) => this.#callContract(dataSource, asked),
      createDataSource: (template: string, parameters: readonly string[]) =>
        this.#create(template, parameters[0] ?? ""),
      log: (level: number, message: string) => {
        if (level === 0) throw new Error(`critical: ${message}`);
        this.messages.push(message);
      },
    };
    this.store.transaction(() => {
      const module = this.#module(dataSource.mapping.file);
      const memory = new WasmMemory(module, (own) => hostFunctions(own, world));
      memory.run(handler, argument(new TriggerWriter(memory)));
    });
  }

  #callContract(
    dataSource: DataSource,
    { contract, address, name, signature, args }: AskedCall,
  ): readonly EthereumValue[] | undefined {
    const fragment = this.#abi(dataSource, contract).fragments.find(
      (candidate) => FunctionFragment.isFragment(candidate) && signatureCompat(candidate) === signature,
    );
    if (!FunctionFragment.isFragment(fragment) || fragment.name !== name) {
      throw new Error(`Unknown function "${contract}::${signature}" called from WASM runtime`);
    }
    if (args.length !== fragment.inputs.length) throw new Error(`${signature} got ${args.length} arguments`);
    const checked = fragment.inputs.map((type, i) =>
      checkedArgument(type, args[i] as EthereumValue, `${signature} argument ${i}`),
    );
    const call = { address, signature: fragment.format("sighash"), args: checked };
    this.calls.push(call);
    const result = this.contracts(call);
    if (!result) return undefined;
    const decoded = [...coder.decode(fragment.outputs, coder.encode(fragment.outputs, result))];
    return fragment.outputs.map((type, i) => toEthereumValue(type, decoded[i]));
  }

  #create(name: string, address: string): void {
    const template = this.#manifest.templates?.find((candidate) => candidate.name === name);
    if (!template) throw new Error(`there is no template ${name}`);
    this.created.push({ template: name, address });
    this.#dataSources.push({ ...template, source: { ...template.source, address } });
  }

  #place(address: string): Place {
    return { address: address.toLowerCase(), transaction: id("transaction"), block: this.#block };
  }

  #at(address: string): readonly DataSource[] {
    return this.#dataSources.filter(({ source }) => source.address.toLowerCase() === address.toLowerCase());
  }

  #abi({ mapping }: DataSource, name: string): Interface {
    const declared = mapping.abis.find((abi) => abi.name === name);
    if (!declared) throw new Error(`No ABI entry with name \`${name}\` found`);
    const known =
      this.#abis.get(declared.file) ?? new Interface(this.#text(posix.join(this.#folder, declared.file)));
    this.#abis.set(declared.file, known);
    return known;
  }

  #module(file: string): object {
    const wasm = this.#files.get(posix.join(this.#folder, file));
    if (typeof wasm !== "object") throw new Error(`there is no ${file} beside the manifest`);
    const known = this.#modules.get(file) ?? compileModule(wasm);
    this.#modules.set(file, known);
    return known;
  }

  #text(path: string): string {
    const text = this.#files.get(path);
    if (typeof text !== "string") throw new Error(`${path} is not there as a text`);
    return text;
  }
}

/** `Transfer(indexed address,uint256)` */
function manifestForm({ name, inputs }: EventFragment): string {
  const types = inputs.map((type) => (type.indexed ? "indexed " : "") + type.format("sighash"));
  return `${name}(${types.join(",")})`;
}

/** `balanceOf(address):(uint256)` */
function signatureCompat(fragment: FunctionFragment): string {
  const outputs = fragment.outputs.map((type) => type.format("sighash")).join(",");
  return fragment.format("sighash") + (outputs ? `:(${outputs})` : "");
}
