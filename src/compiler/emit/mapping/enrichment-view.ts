import { escapeReserved } from "../../abi/reserved-words.js";
import type { Enrichment, EnrichmentCall, EnrichmentEntity, UserExpression } from "../../model/enrichment.js";
import type { Handler } from "../../model/handler.js";
import type { Scope } from "../scope.js";
import type { EncoderHelpers } from "./encoder-helpers.js";
import type { ModuleScope } from "./module-scope.js";

/** What the enrichment template prints. Expressions are marks; empty texts stand for what is absent. */
export interface EnrichmentView {
  readonly name: string;
  readonly trigger: string;
  readonly triggerClass: string;
  readonly entityClass: string;
  /** The class of `calls`, or an empty text without calls. */
  readonly callsClass: string;
  /** Beginning of every log line. */
  readonly label: string;
  readonly debugging: boolean;
  readonly calls: readonly CallView[];
  readonly entities: readonly EntityView[];
}

interface CallView {
  readonly ref: string;
  readonly doc: string;
  /** The members of the calls class, one statement each. */
  readonly declaration: string;
  /** Whether the call goes through the binding; else through an encoder, which takes the address first. */
  readonly isBound: boolean;
  readonly contractClass: string;
  /** The local that holds the contract. */
  readonly contract: string;
  readonly address: string;
  /** Whether the address is an expression, which gets lines of its own. */
  readonly addressIsExpression: boolean;
  /** What is written before the arguments: `contract.try_balanceOf(`. */
  readonly invocation: string;
  /** Marks; all but the last end in a comma. */
  readonly args: readonly string[];
  readonly hasArgs: boolean;
  readonly abortsOnRevert: boolean;
  /** Locals that hold what the conditions give. */
  readonly isMet: string;
  readonly isHeld: string;
  readonly pre: string;
  readonly post: string;
}

interface EntityView {
  readonly entityClass: string;
  readonly variable: string;
  /** `trigger`, `same`, `suffix` or `explicit`, as four booleans. */
  readonly isTrigger: boolean;
  readonly isSame: boolean;
  readonly isSuffix: boolean;
  readonly isExplicit: boolean;
  readonly idVariable: string;
  readonly id: string;
  readonly fillsBaseFields: boolean;
  readonly trigger: string;
  readonly contractAddress: string;
  /** Accessor of the reference to the trigger, or an empty text. */
  readonly triggerAccessor: string;
  readonly fields: readonly {
    /** `balance.owner =`, or the beginning of a call that stores a nullable text. */
    readonly beginning: string;
    readonly value: string;
    readonly isCall: boolean;
  }[];
}

/** Where the parts of a view come from. */
export interface EnrichmentContext {
  readonly scope: ModuleScope;
  /** The mark that stands for an expression of the handler. */
  readonly mark: (expression: UserExpression) => string;
  readonly encoders: EncoderHelpers;
  /** The name the enrichment function got. */
  readonly name: string;
}

/** Prepares the enrichment of one handler for printing. */
export function enrichmentView(
  handler: Handler,
  enrichment: Enrichment,
  { scope, mark, encoders, name }: EnrichmentContext,
): EnrichmentView {
  const { trigger } = handler;
  for (const used of enrichment.graphTsNames) scope.graphTs(used);
  if (enrichment.debugging) scope.graphTs("log");
  // All imports come before any local, so that no local hides a class that a later line needs.
  for (const { id, type } of enrichment.entities) if (id.kind !== "trigger") scope.entity(type);
  for (const call of enrichment.calls) if (call.bindingEncodes) scope.contract(call.contract);
  const locals = scope.functionScope(enrichment.freeNames);
  const callLocals = {
    contract: locals.claim("contract"),
    isMet: locals.claim("isReady"),
    isHeld: locals.claim("isSound"),
  };
  const contractAddress = trigger.kind === "call" ? "call.to" : "event.address";
  return {
    name,
    trigger: trigger.kind,
    triggerClass: scope.trigger(trigger.kind, trigger.bound.className),
    entityClass: scope.entity(handler.entity),
    callsClass: enrichment.calls.length > 0 ? scope.own(`${name.replace(/^enrich/, "")}Calls`) : "",
    label: handler.name,
    debugging: enrichment.debugging,
    calls: enrichment.calls.map((call) =>
      callView(call, callLocals, contractAddress, { scope, mark, encoders, name }),
    ),
    entities: enrichment.entities.map((entity) => entityView(entity, trigger.kind, locals, scope, mark)),
  };
}

/** Names of the locals in the block of a call. */
interface CallLocals {
  readonly contract: string;
  readonly isMet: string;
  readonly isHeld: string;
}

function callView(
  call: EnrichmentCall,
  locals: CallLocals,
  contractAddress: string,
  context: EnrichmentContext,
): CallView {
  const { scope, mark, encoders } = context;
  const { method, ref } = call;
  const { contract } = locals;
  const type = scope.type(method.resultType, call.contract);
  const last = call.args.length - 1;
  const invocation = call.bindingEncodes
    ? `${contract}.${method.tryName}(`
    : `${encoders.helperFor(method, call.contract)}(`;
  const isExpression = call.source.kind === "expression";
  return {
    ref,
    doc: `${call.contract}.${method.fn.name}`,
    declaration: callDeclaration(ref, type, call.essential),
    isBound: call.bindingEncodes,
    contractClass: call.bindingEncodes ? scope.contract(call.contract) : "",
    contract,
    address: addressText(call, context) || contractAddress,
    addressIsExpression: isExpression,
    invocation,
    args: call.args.map((argument, index) => mark(argument) + (index === last ? "" : ",")),
    hasArgs: last >= 0,
    // A condition on the result of a call that reverted is never met.
    abortsOnRevert: call.essential || call.post !== undefined,
    isMet: locals.isMet,
    isHeld: locals.isHeld,
    pre: call.pre ? mark(call.pre) : "",
    post: call.post ? mark(call.post) : "",
  };
}

/** A result is null until its call has been made; one that aborts the enrichment is never seen null. */
function callDeclaration(ref: string, type: string, essential: boolean): string {
  if (type === "i32") return `${ref}: i32 = 0;`;
  if (type === "boolean") return `${ref}: boolean = false;`;
  return essential ? `${ref}!: ${type};` : `${ref}: ${type} | null = null;`;
}

function addressText({ source }: EnrichmentCall, { scope, mark }: EnrichmentContext): string {
  switch (source.kind) {
    case "trigger":
      return "";
    case "address":
      return `${scope.graphTs("Address")}.fromString("${source.address}")`;
    case "expression":
      return mark(source.value);
  }
}

function entityView(
  entity: EnrichmentEntity,
  trigger: "event" | "call",
  locals: Scope,
  scope: ModuleScope,
  mark: EnrichmentContext["mark"],
): EntityView {
  const { id } = entity;
  const isTrigger = id.kind === "trigger";
  const variable = isTrigger ? "entity" : locals.claim(variableName(entity.type), "Entity");
  const hasOwnId = id.kind === "suffix" || id.kind === "explicit";
  return {
    entityClass: isTrigger ? "" : scope.entity(entity.type),
    variable,
    isTrigger,
    isSame: id.kind === "same",
    isSuffix: id.kind === "suffix",
    isExplicit: id.kind === "explicit",
    idVariable: hasOwnId ? locals.claim(`${variable}Id`) : "",
    id: hasOwnId ? mark(id.value) : "",
    fillsBaseFields: entity.fillsBaseFields,
    trigger,
    contractAddress: trigger === "call" ? "call.to" : "event.address",
    triggerAccessor: entity.triggerField === undefined ? "" : escapeReserved(entity.triggerField),
    fields: entity.fields.map(({ field, value, isNullableText }) => ({
      beginning: isNullableText
        ? `${scope.textSetter()}(${variable}, "${field}",`
        : `${variable}.${escapeReserved(field)} =`,
      value: mark(value),
      isCall: isNullableText,
    })),
  };
}

/** `Balance` is held in `balance`; leading capitals go down together (`NFTHolder` in `nftHolder`). */
function variableName(type: string): string {
  const lowered = type.replace(/^[A-Z]+(?=[A-Z][a-z]|$|[^A-Za-z])|^[A-Z]/, (capitals) =>
    capitals.toLowerCase(),
  );
  return escapeReserved(lowered);
}
