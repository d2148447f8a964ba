import type { ASTNode, DirectiveNode, ObjectTypeDefinitionNode, ValueNode } from "graphql";

type Fault = (node: ASTNode, message: string, hint?: string) => void;

const languages = "simple da nl en fi fr de hu it no pt ro ru es sv tr".split(" ");
const algorithms = ["rank", "proximityRank"];

/** Reports mistakes in the type `_Schema_`: it may have no fields, and only directives for full text and imports. */
export function checkSchemaType(
  { name, fields = [], directives = [] }: ObjectTypeDefinitionNode,
  fault: Fault,
): void {
  if (fields.length > 0) fault(name, `the type ${name.value} has fields`, "move them to another type");
  for (const directive of directives) {
    if (directive.name.value === "fulltext") checkFulltext(directive, fault);
    else if (directive.name.value !== "import")
      fault(
        directive,
        `the type ${name.value} has @${directive.name.value}, where only @fulltext and @import have a meaning`,
      );
  }
}

function checkFulltext(directive: DirectiveNode, fault: Fault): void {
  const given = new Map((directive.arguments ?? []).map((argument) => [argument.name.value, argument]));
  for (const [name, argument] of given) {
    if (!["name", "language", "algorithm", "include"].includes(name))
      fault(argument, `@fulltext has no argument ${name}`, "it has name, language, algorithm and include");
  }
  const check = (name: string, isRight: (value: ValueNode) => boolean, hint: string): void => {
    const value = given.get(name)?.value;
    if (!value) fault(directive, `@fulltext has no ${name}`, hint);
    else if (!isRight(value)) fault(value, `the ${name} of @fulltext is wrong`, hint);
  };
  check("name", ({ kind }) => kind === "StringValue", "write a name in quotes");
  check("language", (value) => isOneOf(value, languages), `write one of ${languages.join(", ")}`);
  check("algorithm", (value) => isOneOf(value, algorithms), `write one of ${algorithms.join(", ")}`);
  check("include", isInclude, 'write [{ entity: "Entity", fields: [{ name: "field" }] }]');
}

function isOneOf(value: ValueNode, words: readonly string[]): boolean {
  return value.kind === "EnumValue" && words.includes(value.value);
}

function isInclude(value: ValueNode): boolean {
  return value.kind === "ListValue" && value.values.every(isIncluded);
}

function isIncluded(value: ValueNode): boolean {
  if (value.kind !== "ObjectValue" || value.fields.length !== 2) return false;
  return value.fields.every(({ name, value: part }) => {
    if (name.value === "entity") return part.kind === "StringValue";
    return name.value === "fields" && part.kind === "ListValue" && part.values.every(isNamedField);
  });
}

function isNamedField(value: ValueNode): boolean {
  return (
    value.kind === "ObjectValue" &&
    value.fields.every(({ name, value: part }) => name.value === "name" && part.kind === "StringValue")
  );
}
