import { invariant } from "../../../base/invariant.js";
import { manifestSignature, plainSignature } from "../../abi/abi.js";
import { escapeReserved } from "../../abi/reserved-words.js";
import type {
  Handler,
  HandlerTrigger,
  ParameterField,
  ParameterPath,
  ParameterValue,
} from "../../model/handler.js";
import type { Scope } from "../scope.js";
import type { ModuleScope } from "./module-scope.js";

export interface HandlerView {
  readonly name: string;
  readonly doc: string;
  readonly isCall: boolean;
  /** Name of the parameter: `event` or `call`. */
  readonly trigger: string;
  readonly triggerClass: string;
  readonly entityClass: string;
  /** For calls: the condition under which an id is taken. */
  readonly idIsTaken: string;
  /** Address of the contract that emitted the event or received the call. */
  readonly contractAddress: string;
  /** Local variables for values that the trigger would recreate on every access. */
  readonly roots: readonly { readonly variable: string; readonly value: string }[];
  readonly columnLists: readonly ColumnListView[];
  readonly fields: readonly { readonly accessor: string; readonly value: string }[];
  readonly creates: readonly { readonly template: string; readonly address: string }[];
  /** The enrichment function; empty if there is none. */
  readonly enrich: string;
  /** The function of the user's own mapping; empty if there is none. */
  readonly own: string;
}

/** A list of structs, stored as one list per component. */
export interface ColumnListView {
  readonly list: string;
  readonly value: string;
  readonly columns: readonly {
    readonly variable: string;
    readonly type: string;
    /** The expression to read from `<list>[i]`. */
    readonly member: string;
  }[];
}

/**
 * Makes the view of a handler.
 * @param enrich the name of its enrichment function, if any
 */
export function handlerView(handler: Handler, scope: ModuleScope, enrich: string): HandlerView {
  const { trigger } = handler;
  const isCall = trigger.kind === "call";
  const roots = rootLocals(handler);
  const columns = new Columns(scope.functionScope([]), roots);
  if (handler.creates.length > 0) scope.graphTs("DataSourceTemplate");
  const signature = triggerSignature(trigger);
  return {
    name: handler.name,
    doc: isCall ? `Stores each call to ${signature}.` : `Stores each ${signature} event.`,
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
      value: fieldValue(field, columns, roots, scope),
    })),
    roots: [...roots].map(([value, variable]) => ({ variable, value })),
    columnLists: columns.views(),
    creates: handler.creates.map(({ template, parameter }) => ({
      template,
      // Uses the parameter, not the stored field, which may be nullable because other triggers lack it.
      address: `${roots.get("event.params") ?? "event.params"}.${parameter}.toHexString()`,
    })),
    enrich,
    own: handler.own ? scope.ownFunction(handler.own.value) : "",
  };
}

/** The signature of the trigger, with the contract's name for it. */
function triggerSignature(trigger: HandlerTrigger): string {
  if (trigger.kind === "call") return plainSignature(trigger.bound.fn);
  const { event } = trigger.bound;
  return manifestSignature(event.standsFor?.event ?? event);
}

/** The handler's local variables for values that it reads more than once, by value. */
type Roots = ReadonlyMap<ParameterPath["root"], string>;

function rootLocals({ fields }: Handler): Roots {
  const paths = new Map(
    fields.flatMap(({ value }) => decodedPath(value)).map((path) => [fullText(path), path]),
  );
  const roots = [...paths.values()].map(({ root }) => root);
  const repeated = roots.filter((root, index) => roots.indexOf(root) !== index);
  return new Map(repeated.map((root) => [root, root.slice(root.indexOf(".") + 1)]));
}

/** The decoded value that a field is set from, if any. */
function decodedPath(value: ParameterValue): readonly ParameterPath[] {
  switch (value.kind) {
    case "plain":
      return [value.path];
    case "column":
      return [value.list];
    case "encoded":
      // Only parts of structs are read this way.
      return value.path.positions.length > 1 ? [value.path] : [];
  }
}

function fieldValue(
  { field, stored, value }: ParameterField,
  columns: Columns,
  roots: Roots,
  scope: ModuleScope,
): string {
  switch (value.kind) {
    case "plain": {
      const path = pathText(value.path, roots);
      if (!value.hex) return path;
      return stored.list ? `${path}.map<string>((item) => item.toHexString())` : `${path}.toHexString()`;
    }
    case "encoded":
      return `${scope.graphTs("ethereum")}.encode(${rawPathText(value.path, roots)})!`;
    case "column": {
      invariant(stored.assembly.kind === "array", "a column is not a list");
      const type = scope.type(stored.assembly.of, "");
      return columns.add(
        value.list,
        value.members.join(".") + (value.hex ? ".toHexString()" : ""),
        type,
        field,
      );
    }
  }
}

/** The decoded value as a full path: `event.params.order.maker`. */
function fullText({ root, getters }: ParameterPath): string {
  return [root, ...getters].join(".");
}

/** The same, relative to a local variable: `params.order.maker` if there is a variable for the root. */
function pathText(path: ParameterPath, roots: Roots): string {
  return fullText(path).replace(path.root, roots.get(path.root) ?? path.root);
}

/** The same, as an undecoded `ethereum.Value` that can be encoded again. */
function rawPathText({ root, getters, positions }: ParameterPath, roots: Roots): string {
  const last = positions.at(-1);
  if (positions.length > 1)
    return `${pathText({ root, getters: getters.slice(0, -1), positions }, roots)}[${last}]`;
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
  readonly #roots: Roots;
  readonly #lists = new Map<
    string,
    { list: string; value: string; columns: ColumnListView["columns"][number][] }
  >();

  constructor(scope: Scope, roots: Roots) {
    this.#scope = scope;
    this.#roots = roots;
  }

  /** Adds a component; returns the variable for its list. */
  add(path: ParameterPath, member: string, type: string, field: string): string {
    const value = pathText(path, this.#roots);
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
