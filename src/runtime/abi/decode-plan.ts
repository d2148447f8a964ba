import type { EventFragment, FunctionFragment, ParamType } from "ethers/abi";
import { present } from "../../base/invariant.js";
import type { CallHandler, EventHandler, Template } from "../../subgraph/runnable/built-subgraph.js";
import type { CallTrace, Log } from "../chain/chain.js";
import { DeterministicError } from "../errors.js";
import type { DecodedParameter, EthereumValue } from "../values.js";
import { dataDecoder } from "./decode-data.js";
import { type WordReader, wordReader } from "./decode-words.js";

/** How to decode the triggers of a template. Computed once and used for every log and call. */
export interface TemplatePlan {
  /** In the order of the manifest. */
  readonly events: readonly EventPlan[];
  readonly calls: readonly CallPlan[];
}

export interface EventPlan {
  readonly handler: EventHandler;
  /** `undefined` when the ABI lacks the event. */
  readonly fragment: EventFragment | undefined;
  /** Why the handler fails: the error message when the ABI lacks its event or function. */
  readonly lacking?: string;
  /** Decodes a log of any address; `undefined` when its event or its topics do not match. */
  decode(log: Pick<Log, "topics" | "data">): readonly DecodedParameter[] | undefined;
}

export interface CallPlan {
  readonly handler: CallHandler;
  /** `undefined` when the ABI lacks the function. */
  readonly fragment: FunctionFragment | undefined;
  /** Why the handler fails: the error message when the ABI lacks its event or function. */
  readonly lacking?: string;
  /**
   * Decodes the inputs and outputs of a call; `undefined` when its selector does not match or its input does
   * not decode.
   * @throws DeterministicError when its output does not decode
   */
  decode(call: Pick<CallTrace, "input" | "output" | "transactionHash">): DecodedCall | undefined;
}

export interface DecodedCall {
  readonly inputs: readonly DecodedParameter[];
  readonly outputs: readonly DecodedParameter[];
}

/** Plans how to decode triggers. Triggers that the ABI lacks are still matched, and state why they fail. */
export function planTemplate({
  name,
  abi,
  abis,
  eventHandlers,
  callHandlers,
}: Omit<Template, "blockHandlers">): TemplatePlan {
  const source = abis.get(abi);
  const lacking = (what: string, signature: string): string =>
    `${what} with the signature "${signature}" not found in contract "${abi}" of data source "${name}"`;
  return {
    events: eventHandlers.map((handler) => {
      const fragment = source?.event(handler.event);
      if (fragment) return { handler, fragment, decode: eventDecoder(fragment, handler) };
      const decode = ({ topics }: Pick<Log, "topics">): [] | undefined =>
        matches(handler, topics) ? [] : undefined;
      return { handler, fragment, lacking: lacking("Event", handler.event), decode };
    }),
    calls: callHandlers.map((handler) => {
      const fragment = source?.writingFunction(handler.function);
      if (fragment) return { handler, fragment, decode: callDecoder(fragment, handler) };
      const decode = ({ input }: Pick<CallTrace, "input">): DecodedCall | undefined =>
        input.startsWith(handler.selector) ? { inputs: [], outputs: [] } : undefined;
      return { handler, fragment, lacking: lacking("Function", handler.function), decode };
    }),
  };
}

/** Digits before the value of a topic or of the data. */
const prefix = "0x".length;
/** Digits before a call's arguments: `0x` and the selector. */
const selectorEnd = 10;

function eventDecoder(fragment: EventFragment, handler: EventHandler): EventPlan["decode"] {
  const { inputs, anonymous } = fragment;
  const plain = dataDecoder(inputs.filter((input) => !input.indexed));
  // An anonymous event has no signature hash: its first topic is its first indexed parameter.
  const firstTopic = anonymous ? 0 : 1;
  const sources = parameterSources(inputs, firstTopic);
  const topicCount = firstTopic + inputs.filter((input) => input.indexed).length;
  const selector = anonymous ? handler.topic0 : fragment.topicHash;
  return (log) => {
    if (log.topics[0] !== selector || !matches(handler, log.topics)) return undefined;
    if (log.topics.length !== topicCount) return undefined;
    const values = plain(log.data, prefix);
    if (!values) return undefined;
    return sources.map(({ name, topic, read, value }) => ({
      name,
      value: read
        ? read(present(log.topics[topic], "the topics are counted"), prefix)
        : present(values[value], "the values are counted"),
    }));
  };
}

/** Where the value of a parameter is: in a topic, or in the data. */
interface ParameterSource {
  readonly name: string;
  readonly read: WordReader | undefined;
  readonly topic: number;
  readonly value: number;
}

function parameterSources(inputs: readonly ParamType[], firstTopic: number): readonly ParameterSource[] {
  let topic = firstTopic;
  let value = 0;
  return inputs.map((type) => ({
    name: type.name,
    read: type.indexed ? topicReader(type) : undefined,
    topic: type.indexed ? topic++ : -1,
    value: type.indexed ? -1 : value++,
  }));
}

/** The topic of an indexed value that spans several words is its hash. */
function topicReader(type: ParamType): WordReader {
  return wordReader(type) ?? ((hex) => ({ kind: "fixedBytes", value: hex }));
}

/** Whether a log has the topics that a handler requires. */
function matches({ topic0, topicFilters }: EventHandler, topics: readonly string[]): boolean {
  return topics[0] === topic0 && passes(topicFilters, topics);
}

function passes(filters: EventHandler["topicFilters"], topics: readonly string[]): boolean {
  return filters.every((wanted, index) => {
    const topic = topics[index + 1];
    return wanted === undefined || (topic !== undefined && wanted.includes(topic));
  });
}

function callDecoder(fragment: FunctionFragment, { selector }: CallHandler): CallPlan["decode"] {
  const decodeInputs = dataDecoder(fragment.inputs);
  const decodeOutputs = dataDecoder(fragment.outputs);
  return ({ input, output, transactionHash }) => {
    if (!input.startsWith(selector)) return undefined;
    const inputs = decodeInputs(input, selectorEnd);
    if (!inputs) return undefined;
    const outputs = decodeOutputs(output, prefix);
    if (!outputs) {
      throw new DeterministicError(
        `cannot decode what ${fragment.format("sighash")} returned in transaction ${transactionHash}: ${output}`,
      );
    }
    return { inputs: withNames(fragment.inputs, inputs), outputs: withNames(fragment.outputs, outputs) };
  };
}

function withNames(types: readonly ParamType[], values: readonly EthereumValue[]): DecodedParameter[] {
  return values.map((value, index) => ({ name: types[index]?.name ?? "", value }));
}
