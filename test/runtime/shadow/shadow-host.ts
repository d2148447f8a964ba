import { posix } from "node:path";
import { AbiCoder, EventFragment, FunctionFragment, Interface, id } from "ethers";
import { parse } from "yaml";
import type { CallTrace, Log } from "../../../src/runtime/chain/chain.js";
import { type PlayedBlock, receiptOf } from "../../compiler/behaviour/played-blocks.js";
import type { ContractCall } from "../../compiler/behaviour/played-contracts.js";
import { declaredCall } from "./declared-call.js";
import { checkedArgument, type EthereumValue, toEthereumValue } from "./ethereum-values.js";
import { type AskedCall, hostFunctions } from "./host-functions.js";
import { compileModule, ShadowMemory } from "./shadow-memory.js";
import { type RowChange, ShadowStore } from "./shadow-store.js";
import { decodeLog, decodeTrace, type TriggerPlace, TriggerWriter } from "./trigger-writer.js";

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

/** The actions of a block's handlers. */
export interface ShadowOutcome {
  readonly changes: readonly RowChange[];
  /** The evaluated calls that the manifest declares for the block's logs. */
  readonly declared: readonly ContractCall[];
  /** Every call of the handlers, including reverted ones. */
  readonly calls: readonly ContractCall[];
  readonly created: readonly { readonly template: string; readonly address: string }[];
  readonly lines: readonly { readonly level: number; readonly message: string }[];
}

interface Doing {
  readonly declared: ContractCall[];
  readonly calls: ContractCall[];
  readonly created: { readonly template: string; readonly address: string }[];
  readonly lines: { readonly level: number; readonly message: string }[];
}

const coder = AbiCoder.defaultAbiCoder();

/**
 * Runs a built subgraph on blocks as graph-node would. It was written independently of the runtime, shares no code with
 * it, and supports only what the mappings here need. Created data sources are active from the next trigger on.
 */
export class ShadowHost {
  readonly #files: ReadonlyMap<string, string | Uint8Array>;
  readonly #folder: string;
  readonly #manifest: Manifest;
  readonly #dataSources: DataSource[];
  readonly #store: ShadowStore;
  readonly #abis = new Map<string, Interface>();
  readonly #modules = new Map<string, object>();

  constructor(files: ReadonlyMap<string, string | Uint8Array>, manifest = "build/subgraph.yaml") {
    this.#files = files;
    this.#folder = posix.dirname(manifest);
    this.#manifest = parse(this.#text(manifest)) as Manifest;
    this.#dataSources = [...this.#manifest.dataSources];
    this.#store = new ShadowStore(this.#text("schema.graphql"));
  }

  /** Runs the handlers of a block: first for its logs, then for its calls. @throws Error when one fails */
  run(played: PlayedBlock): ShadowOutcome {
    const doing: Doing = { declared: [], calls: [], created: [], lines: [] };
    for (const log of played.logs) this.#runLog(log, played, doing);
    for (const call of played.calls) this.#runCall(call, played, doing);
    return { ...doing, changes: this.#store.endBlock() };
  }

  #runLog(log: Log, played: PlayedBlock, doing: Doing): void {
    for (const dataSource of this.#at(log.address)) {
      for (const handler of dataSource.mapping.eventHandlers ?? []) {
        if (id(handler.event.replaceAll("indexed ", "")) !== log.topics[0]) continue;
        this.#handleLog(dataSource, handler, log, played, doing);
      }
    }
  }

  #handleLog(
    dataSource: DataSource,
    { event, handler, receipt, calls }: EventHandler,
    log: Log,
    played: PlayedBlock,
    doing: Doing,
  ): void {
    const fragment = this.#abi(dataSource, dataSource.source.abi).fragments.find(
      (candidate) => EventFragment.isFragment(candidate) && manifestForm(candidate) === event,
    );
    if (!EventFragment.isFragment(fragment)) throw new Error(`Event ${event} not found in contract`);
    const parameters = decodeLog(fragment, log);
    const abiOf = (name: string): Interface => this.#abi(dataSource, name);
    for (const text of Object.values(calls ?? {})) {
      doing.declared.push(declaredCall(text, log.address, fragment, parameters, abiOf));
    }
    const place = placeOf(log, played);
    const wanted = receipt ? receiptOf(played, log.transactionHash) : undefined;
    this.#run(dataSource, handler, played, doing, (writer) => writer.event(log, place, parameters, wanted));
  }

  #runCall(call: CallTrace, played: PlayedBlock, doing: Doing): void {
    for (const dataSource of this.#at(call.to)) {
      const wanted = dataSource.mapping.callHandlers ?? [];
      const found = wanted.find((handler) => id(handler.function).slice(0, 10) === call.input.slice(0, 10));
      const fragment = found && this.#abi(dataSource, dataSource.source.abi).getFunction(found.function);
      if (!found || !fragment) continue;
      const { inputs, outputs } = decodeTrace(fragment, call);
      const place = placeOf(call, played);
      this.#run(dataSource, found.handler, played, doing, (writer) =>
        writer.call(call, place, inputs, outputs),
      );
    }
  }

  #run(
    dataSource: DataSource,
    handler: string,
    played: PlayedBlock,
    { calls, created, lines }: Doing,
    argument: (writer: TriggerWriter) => number,
  ): void {
    const world = {
      store: this.#store,
      address: dataSource.source.address,
      network: dataSource.network,
      call: (asked: AskedCall) => this.#callContract(dataSource, asked, played, calls),
      createDataSource: (template: string, [address = ""]: readonly string[]) => {
        this.#create(template, address);
        created.push({ template, address });
      },
      log: (level: number, message: string) => {
        if (level === 0) throw new Error(`critical: ${message}`);
        lines.push({ level, message });
      },
    };
    this.#store.transaction(() => {
      const module = this.#module(dataSource.mapping.file);
      const memory = new ShadowMemory(module, (own) => hostFunctions(own, world));
      memory.run(handler, argument(new TriggerWriter(memory)));
    });
  }

  #callContract(
    dataSource: DataSource,
    { contract, address, name, signature, args }: AskedCall,
    { contracts }: PlayedBlock,
    calls: ContractCall[],
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
    calls.push(call);
    const result = contracts(call);
    if (!result) return undefined;
    const decoded = [...coder.decode(fragment.outputs, coder.encode(fragment.outputs, result))];
    return fragment.outputs.map((type, i) => toEthereumValue(type, decoded[i]));
  }

  #create(name: string, address: string): void {
    const template = this.#manifest.templates?.find((candidate) => candidate.name === name);
    if (!template) throw new Error(`there is no template ${name}`);
    this.#dataSources.push({ ...template, source: { ...template.source, address } });
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

function placeOf({ transactionHash }: Log | CallTrace, { block }: PlayedBlock): TriggerPlace {
  const transaction = block.transactions.get(transactionHash);
  if (!transaction) throw new Error(`block ${block.number} has no transaction ${transactionHash}`);
  return { block, transaction };
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
