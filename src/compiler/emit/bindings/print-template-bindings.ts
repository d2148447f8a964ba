import { currentRules, type GraphCliRules } from "../../abi/graph-cli-rules.js";
import {
  type ClassText,
  call,
  callWithList,
  literal,
  type MethodText,
  printFile,
  statement,
  styleOf,
} from "./syntax.js";

const base = ["DataSourceTemplate", "DataSourceContext"];
const context = { name: "context", type: "DataSourceContext" };

/** A template, and the kind of its data sources. */
export interface BoundTemplate {
  readonly name: string;
  readonly of: "contract" | "file";
}

const arguments_ = {
  contract: {
    imports: ["Address", ...base],
    parameter: { name: "address", type: "Address" },
    value: "address.toHex()",
  },
  file: { imports: base, parameter: { name: "cid", type: "string" }, value: "cid" },
} as const;

/** The text of `generated/templates.ts`, byte for byte what `graph codegen` writes. */
export function printTemplateBindings(
  templates: readonly BoundTemplate[],
  rules: GraphCliRules = currentRules,
): string {
  const importing = rules.cleanNames ? templates : templates.slice(0, 1);
  const imports = new Set(importing.flatMap(({ of }) => arguments_[of].imports));
  return printFile([...imports], templates.map(templateClass), styleOf(rules));
}

function templateClass(template: BoundTemplate): ClassText {
  return {
    heading: `${template.name} extends DataSourceTemplate`,
    fields: [],
    methods: [create(template), createWithContext(template)],
  };
}

function create({ name, of }: BoundTemplate): MethodText {
  const { parameter, value } = arguments_[of];
  return {
    name: "static create",
    parameters: [parameter],
    returnType: "void",
    body: [statement(callWithList("DataSourceTemplate.create", [literal(name)], [value]))],
  };
}

function createWithContext({ name, of }: BoundTemplate): MethodText {
  const { parameter, value } = arguments_[of];
  const args = [literal(name), `[${value}]`, "context"];
  return {
    name: "static createWithContext",
    parameters: [parameter, context],
    returnType: "void",
    body: [statement(call("DataSourceTemplate.createWithContext", args))],
  };
}
