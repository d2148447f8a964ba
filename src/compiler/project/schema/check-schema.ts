import type {
  ASTNode,
  DirectiveNode,
  DocumentNode,
  FieldDefinitionNode,
  ObjectTypeDefinitionNode,
  TypeNode,
} from "graphql";
import { suggest } from "../../../base/text/suggest.js";
import type { Report } from "../../diagnostics/report.js";
import type { Location, Source } from "../../source/source.js";
import { checkSchemaType } from "./check-schema-type.js";
import { baseName, entityTypes, hasDirective, idTypeOf, interfaceTypes } from "./schema-types.js";

/** The type whose directives concern the whole schema. */
const schemaType = "_Schema_";

const scalars = ["Boolean", "Int", "BigDecimal", "String", "BigInt", "Bytes", "ID", "Int8", "Timestamp"];
/** Scalars that are not references in AssemblyScript. For graph-cli, lists of them may contain null. */
const primitives = new Set(["Boolean", "Int", "Int8", "Timestamp"]);
const idTypes = new Set(["ID", "Bytes", "String", "Int8"]);

/** The intended scalar for a name from another language. */
const meantScalars: readonly (readonly [RegExp, string])[] = [
  [/^(?:Address|address|bytes)$/, "Bytes"],
  [/^(?:[Aa]ccount(?:I[Dd]|id)?|string|[Oo]wner)$/, "String"],
  [/^(?:[Bb]ool|boolean)$/, "Boolean"],
  [/^[Ff]loat$/, "BigDecimal"],
  [/^(?:timestamp|ts)$/, "Timestamp"],
  [/^(?:u|uint|i|int)8$/, "Int8"],
  [/^(?:int|(?:u|uint|i|int)(?:16|24)|(?:i|int)32)$/, "Int"],
  [/^(?:uint|(?:u|uint)32|(?:u|uint|i|int)\d+)$/, "BigInt"],
];

/** What a project's graph-cli rejects in a schema, where versions differ. */
export interface SchemaRules {
  /** Whether `@entity` must say whether entities can change. */
  readonly wantsImmutable: boolean;
}

/** Reports the mistakes in a schema that graph-cli finds, each at its location. */
export function checkSchema(
  document: DocumentNode,
  source: Source,
  { wantsImmutable }: SchemaRules,
  report: Report,
): void {
  const at = (node: ASTNode): Location => {
    const { start = 0, end = 0 } = node.loc ?? {};
    return { source, pointer: "", start, end };
  };
  const fault = (node: ASTNode, message: string, hint?: string): void =>
    report.error("project-schema", at(node), message, { hint });

  const objects = document.definitions.filter((definition) => definition.kind === "ObjectTypeDefinition");
  const targets = [...entityTypes(document), ...interfaceTypes(document)];
  const known = new Set([...scalars, ...namesOf(document)]);

  checkTwins(document, fault);
  for (const type of objects) {
    if (type.name.value === schemaType) {
      checkSchemaType(type, fault);
      continue;
    }
    checkDirectives(type);
    checkId(type);
    for (const field of type.fields ?? []) checkField(type, field);
  }
  for (const type of interfaceTypes(document)) {
    const isReferred = objects.some(({ fields = [] }) =>
      fields.some((field) => refersTo(field, type.name.value)),
    );
    if (isReferred && idTypeOf(type) === undefined)
      fault(type.name, `the interface ${type.name.value} has no id that must have a value`, "add id: ID!");
  }

  function checkDirectives(type: ObjectTypeDefinitionNode): void {
    const { directives = [], name } = type;
    const entity = directives.find((directive) => directive.name.value === "entity");
    if (!entity && !hasDirective(type, "aggregation")) {
      fault(
        name,
        `the type ${name.value} is not an entity type`,
        "add @entity(immutable: true) or @entity(immutable: false)",
      );
    }
    const isDecided = entity?.arguments?.some((argument) =>
      /^(?:immutable|timeseries)$/.test(argument.name.value),
    );
    if (wantsImmutable && entity && !isDecided) {
      fault(
        entity,
        `@entity of ${name.value} does not say whether entities can change`,
        "write @entity(immutable: true) if no entity is ever changed, and @entity(immutable: false) otherwise",
      );
    }
    for (const directive of directives) {
      if (directive.name.value === "fulltext" || directive.name.value === "import")
        fault(directive, `@${directive.name.value} belongs on the type ${schemaType}`);
    }
  }

  function checkId({ name, fields = [] }: ObjectTypeDefinitionNode): void {
    const id = fields.find((field) => field.name.value === "id");
    if (!id) {
      fault(name, `the type ${name.value} has no id`, "add id: ID!, id: Bytes! or id: Int8!");
      return;
    }
    const type = idTypeOf({ fields });
    if (type === undefined || !idTypes.has(type))
      fault(id.type, `the id of ${name.value} must be of type ID!, String!, Bytes! or Int8!`);
  }

  function checkField(type: ObjectTypeDefinitionNode, field: FieldDefinitionNode): void {
    const what = `${type.name.value}.${field.name.value}`;
    const item = listItem(field.type);
    if (item && item.kind !== "NonNullType" && isRefused(field, item)) {
      fault(
        field.type,
        `the list ${what} may contain null, which cannot be stored`,
        `write [${baseName(item)}!]`,
      );
    }
    const name = baseName(field.type);
    if (!known.has(name)) {
      const meant = meantScalars.find(([pattern]) => pattern.test(name))?.[1] ?? suggest(name, known)[0];
      fault(field.type, `the type ${name} of ${what} does not exist`, meant && `write ${meant}`);
    }
    if (field.arguments && field.arguments.length > 0)
      fault(field.name, `the field ${what} has arguments`, "remove them");
    for (const directive of field.directives ?? [])
      if (directive.name.value === "derivedFrom") checkDerived(type, field, directive);
  }

  /** Whether graph-cli refuses a list whose items may be null. */
  function isRefused(field: FieldDefinitionNode, item: TypeNode): boolean {
    if (field.type.kind !== "NonNullType") return true;
    if (hasDirective(field, "derivedFrom")) return false;
    const id = targets.find(({ name }) => name.value === baseName(item));
    return item.kind === "ListType" || !primitives.has((id && idTypeOf(id)) ?? baseName(item));
  }

  function checkDerived(
    type: ObjectTypeDefinitionNode,
    field: FieldDefinitionNode,
    directive: DirectiveNode,
  ): void {
    const what = `${type.name.value}.${field.name.value}`;
    const [argument, ...others] = directive.arguments ?? [];
    if (argument?.name.value !== "field" || others.length > 0 || argument.value.kind !== "StringValue") {
      fault(directive, `@derivedFrom of ${what} must name a field`, 'write @derivedFrom(field: "…")');
      return;
    }
    const target = targets.find(({ name }) => name.value === baseName(field.type));
    if (!target) return;
    const wanted = argument.value.value;
    const from = (target.fields ?? []).find(({ name }) => name.value === wanted);
    if (!from) {
      const [near] = suggest(
        wanted,
        (target.fields ?? []).map(({ name }) => name.value),
      );
      fault(argument.value, `${target.name.value} has no field ${wanted}`, near && `write ${near}`);
      return;
    }
    const back = targets.find(({ name }) => name.value === baseName(from.type))?.name.value;
    const own = [type.name.value, ...(type.interfaces ?? []).map(({ name }) => name.value)];
    if (back === undefined || !own.includes(back)) {
      fault(
        argument.value,
        `${target.name.value}.${wanted} does not refer to ${type.name.value}`,
        `derive it from a field of type ${type.name.value}, or of an interface that it implements`,
      );
    }
  }
}

function checkTwins(
  { definitions }: DocumentNode,
  fault: (node: ASTNode, message: string, hint?: string) => void,
): void {
  const seen = new Set<string>();
  for (const definition of definitions) {
    if (!isNamed(definition)) continue;
    const { name } = definition;
    if (seen.has(name.value))
      fault(name, `the type ${name.value} is declared twice`, "remove or rename one of the two");
    seen.add(name.value);
  }
}

function namesOf({ definitions }: DocumentNode): readonly string[] {
  const imported = definitions.flatMap((definition) =>
    definition.kind === "ObjectTypeDefinition" && definition.name.value === schemaType
      ? (definition.directives ?? []).flatMap(importedNames)
      : [],
  );
  return [...definitions.filter(isNamed).map(({ name }) => name.value), ...imported];
}

function importedNames({ name, arguments: given = [] }: DirectiveNode): readonly string[] {
  const types = name.value === "import" ? given.find((one) => one.name.value === "types")?.value : undefined;
  if (types?.kind !== "ListValue") return [];
  return types.values.flatMap((type) => {
    if (type.kind === "StringValue") return [type.value];
    const alias =
      type.kind === "ObjectValue" ? type.fields.find((field) => field.name.value === "as") : undefined;
    return alias?.value.kind === "StringValue" ? [alias.value.value] : [];
  });
}

function isNamed(definition: DocumentNode["definitions"][number]) {
  return (
    definition.kind === "ObjectTypeDefinition" ||
    definition.kind === "EnumTypeDefinition" ||
    definition.kind === "InterfaceTypeDefinition"
  );
}

/** The item type of a list; `undefined` for other types. */
function listItem(type: TypeNode): TypeNode | undefined {
  if (type.kind === "NonNullType") return listItem(type.type);
  return type.kind === "ListType" ? type.type : undefined;
}

function refersTo(field: FieldDefinitionNode, name: string): boolean {
  return !hasDirective(field, "derivedFrom") && baseName(field.type) === name;
}
