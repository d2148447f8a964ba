import { manifestSignature, plainSignature } from "../../abi/abi.js";
import { escapeReserved } from "../../abi/reserved-words.js";
import type { Handler, ParameterField, ParameterPath } from "../../model/handler.js";
import type { Scope } from "../scope.js";
import type { ModuleScope } from "./module-scope.js";

/** What the handler template prints. */
export interface HandlerView {
  readonly name: string;
  readonly doc: string;
  readonly isCall: boolean;
  /** `event` or `call`: the parameter's name. */
  readonly trigger: string;
  readonly triggerClass: string;
  readonly entityClass: string;
  /** For calls: whether an id is taken. */
  readonly idIsTaken: string;
  /** The address of the contract that emitted or was called. */
  readonly contractAddress: string;
  readonly columnLists: readonly ColumnListView[];
  readonly fields: readonly { readonly accessor: string; readonly value: string }[];
  readonly creates: readonly { readonly template: string; readonly address: string }[];
  /** The function that does the enrichment, or an empty text. */
  readonly enrich: string;
}

/** A list of structs that is stored as one list per component. */
export interface ColumnListView {
  readonly list: string;
  readonly value: string;
  readonly columns: readonly {
    readonly variable: string;
    readonly type: string;
    /** What is read of `<list>[i]`. */
    readonly member: string;
  }[];
}

/** Prepares one handler for printing; `enrich` is the name of its enrichment function, if it has one. */
export function handlerView(handler: Handler, scope: ModuleScope, enrich: string): HandlerView {
  const { trigger } = handler;
  const isCall = trigger.kind === "call";
  const locals = scope.functionScope(["event", "call", "entity", "id", "number", "i"]);
  const columns = new Columns(locals);
  if (handler.creates.length > 0) scope.graphTs("DataSourceTemplate");
  const signature =
    trigger.kind === "event" ? manifestSignature(trigger.bound.event) : plainSignature(trigger.bound.fn);
  return {
    name: handler.name,
    doc: isCall ? `Stores a call of ${signature}.` : `Stores ${signature}.`,
    isCall,
    trigger: trigger.kind,
    triggerClass: scope.trigger(trigger.kind, trigger.bound.className),
    entityClass: scope.entity(handler.entity),
    idIsTaken: isCall
      ? handler.idRivals.map((type) => `${scope.entity(type)}.loadInBlock(id) !== null`).join(" || ")
      : "",
    contractAddress: isCall ? "call.to" : "event.address",
    fields: handler.fields.map((field) => ({
      accessor: escapeReserved(field.field),
      value: fieldValue(field, columns, scope),
    })),
    columnLists: columns.views(),
    creates: handler.creates.map(({ template, parameter }) => ({
      template,
      address: `event.params.${parameter}.toHexString()`,
    })),
    enrich,
  };
}

function fieldValue({ field, stored, value }: ParameterField, columns: Columns, scope: ModuleScope): string {
  switch (value.kind) {
    case "plain": {
      const path = pathText(value.path);
      if (!value.hex) return path;
      return stored.list ? `${path}.map<string>((item) => item.toHexString())` : `${path}.toHexString()`;
    }
    case "encoded":
      return `${scope.graphTs("ethereum")}.encode(${rawPathText(value.path)})!`;
    case "column": {
      const type = stored.assembly.slice("Array<".length, -1);
      if (type === "BigInt" || type === "Bytes") scope.graphTs(type);
      return columns.add(
        value.list,
        value.members.join(".") + (value.hex ? ".toHexString()" : ""),
        type,
        field,
      );
    }
  }
}

/** The decoded value: `event.params.order.maker`. */
function pathText({ root, getters }: ParameterPath): string {
  return [root, ...getters].join(".");
}

/** The undecoded `ethereum.Value` of the same, which is what can be encoded again. */
function rawPathText({ root, getters, positions }: ParameterPath): string {
  const last = positions.at(-1);
  if (positions.length > 1) return `${pathText({ root, getters: getters.slice(0, -1), positions })}[${last}]`;
  const lists = {
    "event.params": "event.parameters",
    "call.inputs": "call.inputValues",
    "call.outputs": "call.outputValues",
  };
  return `${lists[root]}[${last}].value`;
}

/** Collects the loops that turn lists of structs into lists of their components. */
class Columns {
  readonly #scope: Scope;
  readonly #lists = new Map<
    string,
    { list: string; value: string; columns: ColumnListView["columns"][number][] }
  >();

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  /** Adds a component and returns the variable that will hold its list. */
  add(path: ParameterPath, member: string, type: string, field: string): string {
    const value = pathText(path);
    const known = this.#lists.get(value) ?? {
      list: this.#scope.claim(path.getters.join("_"), "List"),
      value,
      columns: [],
    };
    this.#lists.set(value, known);
    const variable = this.#scope.claim(field, "List");
    known.columns.push({ variable, type, member });
    return variable;
  }

  views(): readonly ColumnListView[] {
    return [...this.#lists.values()];
  }
}
