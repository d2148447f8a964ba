import { createRequire } from "node:module";
import TemplateGenerator from "@graphprotocol/graph-cli/dist/codegen/template.js";
import { GENERATED_FILE_NOTE } from "@graphprotocol/graph-cli/dist/codegen/typescript.js";
import PeerAbi from "@graphprotocol/graph-cli/dist/protocols/ethereum/abi.js";
import EthereumTemplate from "@graphprotocol/graph-cli/dist/protocols/ethereum/codegen/template.js";
import Schema from "@graphprotocol/graph-cli/dist/schema.js";
import type { Abi, AbiEvent, AbiFunction } from "../../../../src/compiler/abi/abi.js";
import { abiTypeText, elementType, type Parameter } from "../../../../src/compiler/abi/solidity-type.js";
import type { EntityField, EntityModel } from "../../../../src/compiler/model/entity-model.js";

// These are graph-cli's copies, so that the formatting matches the version it pins.
const peerRequire = createRequire(import.meta.resolve("@graphprotocol/graph-cli/package.json"));
const prettier = peerRequire("prettier") as typeof import("prettier");
const immutable = peerRequire("immutable") as typeof import("immutable");

async function file(parts: readonly { toString(): string }[]): Promise<string> {
  return prettier.format([GENERATED_FILE_NOTE, ...parts].join("\n"), { parser: "typescript" });
}

/** The output of `graph codegen` for an ABI of that name. */
export async function peerAbiBindings(className: string, abi: Abi): Promise<string> {
  return peerAbiBindingsOfJson(className, abiJson(abi));
}

/** The output of `graph codegen` for the text of an ABI file. */
export async function peerAbiBindingsOfJson(className: string, json: unknown): Promise<string> {
  const data = immutable.fromJS(json) as ConstructorParameters<typeof PeerAbi>[2];
  const generator = new PeerAbi(className, undefined, data).codeGenerator();
  return file([...generator.generateModuleImports(), ...(await generator.generateTypes())]);
}

/** The output of `graph codegen` for a schema of these entities. */
export async function peerSchemaBindings(entities: readonly EntityModel[]): Promise<string> {
  return peerSchemaBindingsOfText(schemaText(entities));
}

/** The output of `graph codegen` for the text of a schema. */
export async function peerSchemaBindingsOfText(schema: string): Promise<string> {
  const generator = (await Schema.loadFromString(schema)).codeGenerator();
  return file([
    ...generator.generateModuleImports(),
    ...generator.generateTypes(),
    ...generator.generateDerivedLoaders(),
  ]);
}

/** The output of `graph codegen` for templates of these names. */
export async function peerTemplateBindings(names: readonly string[]): Promise<string> {
  const protocol = {
    name: "ethereum",
    getTemplateCodeGen: (template: never) => new EthereumTemplate(template),
  };
  const generators = names.map((name) => {
    const template = immutable.fromJS({ kind: "ethereum/contract", name }) as never;
    return new TemplateGenerator(template, protocol as never);
  });
  const imports = generators[0]?.generateModuleImports() ?? [];
  return file([...imports, ...generators.flatMap((generator) => [...generator.generateTypes()])]);
}

/** The JSON of an ABI file with this interface. */
export function abiJson({ events, functions }: Abi): unknown[] {
  return [...events, ...functions].sort((a, b) => a.index - b.index).map(entryJson);
}

function entryJson(entry: AbiEvent | AbiFunction): unknown {
  const { kind: type, name } = entry;
  if (entry.kind === "event") {
    const inputs = entry.inputs.map((input) => ({ ...parameterJson(input), indexed: input.indexed }));
    return { type, name, anonymous: entry.anonymous, inputs };
  }
  const [inputs, outputs] = [entry.inputs, entry.outputs].map((list) => list.map(parameterJson));
  return { type, name, stateMutability: entry.mutability, inputs, outputs };
}

function parameterJson({ name, type }: Parameter): object {
  const tuple = elementType(type);
  const components = tuple.kind === "tuple" ? { components: tuple.components.map(parameterJson) } : {};
  return { name, type: abiTypeText(type), ...components };
}

function schemaText(entities: readonly EntityModel[]): string {
  return entities
    .map(({ name, immutable: fixed, fields }) => {
      const lines = fields.map(fieldText).join("\n");
      return `type ${name} @entity(immutable: ${fixed}) {\n${lines}\n}`;
    })
    .join("\n");
}

function fieldText({ name, of, list, nonNull, derivedFrom }: EntityField): string {
  const type = (list ? `[${of.name}!]` : of.name) + (nonNull ? "!" : "");
  return `  ${name}: ${type}${derivedFrom === undefined ? "" : ` @derivedFrom(field: "${derivedFrom}")`}`;
}
