import { present } from "../../../base/invariant.js";
import { type AssemblyType, assemblyText } from "../../abi/assembly-type.js";
import type { MappingModule } from "../../model/subgraph.js";
import { importStatement } from "../import-statement.js";
import { Scope } from "../scope.js";

/** Names from AssemblyScript and its runtime that generated mappings use, or that would be confusing to redefine. */
const languageNames =
  "Array boolean changetype i32 i64 null string this true false void let const class function return new if else " +
  "for while import export from as extends instanceof Map Set String Math Error abort event call entity calls result " +
  "id number i item list value address text field params inputs outputs transactionHash";

/** Names from graph-ts that generated mappings use. */
const ownGraphTsNames = "Address BigDecimal BigInt Bytes DataSourceTemplate Entity Value ethereum log";

/**
 * The module scope of one mapping file. Code requests imports where it uses them; they are printed at the end. Their
 * names clash neither with each other nor with free names in the user's expressions.
 */
export class ModuleScope {
  readonly #module: MappingModule;
  readonly #mappingStem: string;
  readonly #scope: Scope;
  readonly #graphTs = new Set<string>();
  #textSetter: string | undefined;
  readonly #imported = new Map<string, Map<string, string>>();

  /** @param mappingStem file stem of the user's own mapping; empty if there is none */
  constructor(module: MappingModule, mappingStem: string) {
    this.#mappingStem = mappingStem;
    const enrichments = module.handlers.flatMap(({ enrichment }) => enrichment ?? []);
    this.#module = module;
    this.#scope = new Scope([
      ...languageNames.split(" "),
      ...ownGraphTsNames.split(" "),
      ...module.handlers.map(({ name }) => name),
      ...enrichments.flatMap(({ freeNames }) => freeNames),
    ]);
  }

  /** Imports a name from graph-ts. It is never renamed. */
  graphTs(name: string): string {
    this.#graphTs.add(name);
    return name;
  }

  entity(name: string): string {
    return this.#import("../generated/schema", name, name, "Entity");
  }

  /** Imports a function of the user's own mapping. */
  ownFunction(name: string): string {
    return this.#import(`./${this.#mappingStem}`, name, name, "Own");
  }

  contract(className: string): string {
    return this.#import(this.#bindingPath(className), className, className, "Contract");
  }

  /** Imports the class of an event (`TransferEvent`) or of a call (`MintCallTrigger`). */
  trigger(kind: "event" | "call", className: string): string {
    const path = this.#bindingPath(this.#module.abi.className);
    return this.#import(path, className, `${className}${kind === "event" ? "Event" : "Trigger"}`, "Class");
  }

  /**
   * The text of a type in this file; imports its classes.
   * @param contract the ABI whose binding declares its structs and result classes
   */
  type(type: AssemblyType, contract: string): string {
    return assemblyText(type, ({ kind, name }) => {
      if (kind === "language") return name;
      return kind === "graph-ts" ? this.graphTs(name) : this.bindingClass(name, contract);
    });
  }

  /** Imports the class of a struct or a result. */
  bindingClass(name: string, contract: string): string {
    return this.#import(this.#bindingPath(contract), name, name, "Class");
  }

  /** The name of the function that stores nullable strings. Requesting it causes the function to be printed. */
  textSetter(): string {
    this.graphTs("Entity");
    this.graphTs("Value");
    this.#textSetter ??= this.own("setText");
    return this.#textSetter;
  }

  /** That name if it was requested, otherwise empty. */
  get usedTextSetter(): string {
    return this.#textSetter ?? "";
  }

  /** Claims a top-level name of this file. */
  own(name: string): string {
    return this.#scope.claim(name);
  }

  /** A scope for a function of this file. */
  functionScope(alsoTaken: readonly string[]): Scope {
    return this.#scope.inner(alsoTaken);
  }

  /** The import statements, after everything has been requested. */
  importStatements(): readonly string[] {
    const sorted = [...this.#imported].sort(([a], [b]) => (a < b ? -1 : 1));
    const own = sorted.map(([from, names]) =>
      importStatement(
        [...names].map(([name, alias]) => (name === alias ? name : `${name} as ${alias}`)),
        from,
      ),
    );
    const graphTs =
      this.#graphTs.size > 0 ? [importStatement([...this.#graphTs], "@graphprotocol/graph-ts")] : [];
    return [...graphTs, ...own];
  }

  #bindingPath(className: string): string {
    const folder = present(
      this.#module.bindings.get(className),
      `no folder contains the binding of ${className}`,
    );
    return `../generated/${folder}/${className}`;
  }

  #import(from: string, name: string, wanted: string, suffix: string): string {
    const names = this.#imported.get(from) ?? new Map<string, string>();
    this.#imported.set(from, names);
    const alias = names.get(name) ?? this.#scope.claim(wanted, suffix);
    names.set(name, alias);
    return alias;
  }
}
