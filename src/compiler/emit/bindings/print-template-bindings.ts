import {
  type ClassText,
  call,
  callWithList,
  literal,
  type MethodText,
  printFile,
  statement,
} from "./syntax.js";

const imports = ["Address", "DataSourceTemplate", "DataSourceContext"];
const address = { name: "address", type: "Address" };
const context = { name: "context", type: "DataSourceContext" };
const parameters = ["address.toHex()"];

/** The text of `generated/templates.ts`, byte for byte what `graph codegen` writes. */
export function printTemplateBindings(templateNames: readonly string[]): string {
  return printFile(imports, templateNames.map(templateClass));
}

function templateClass(name: string): ClassText {
  return {
    heading: `${name} extends DataSourceTemplate`,
    fields: [],
    methods: [create(name), createWithContext(name)],
  };
}

function create(name: string): MethodText {
  return {
    name: "static create",
    parameters: [address],
    returnType: "void",
    body: [statement(callWithList("DataSourceTemplate.create", [literal(name)], parameters))],
  };
}

function createWithContext(name: string): MethodText {
  const args = [literal(name), `[${parameters}]`, "context"];
  return {
    name: "static createWithContext",
    parameters: [address, context],
    returnType: "void",
    body: [statement(call("DataSourceTemplate.createWithContext", args))],
  };
}
