import {
  buildClientSchema,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isEnumType,
  isInterfaceType,
  isObjectType,
  printType,
} from "graphql";
import { isRecord, parseJson } from "../../base/text/json-value.js";
import { visibleJson } from "../../base/text/visible.js";
import { historyPath } from "../../mcp/history-path.js";
import { queryAtBlock } from "../../mcp/query-at-block.js";
import type { InputSchema, Tool, ToolAnswer } from "../../mcp/tool.js";
import { apiBase } from "../http/add-route.js";

/** Asks the server as the caller. @param path with the query @param body a value for JSON */
export type AskServer = (
  method: "GET" | "POST",
  path: string,
  body?: object,
) => Promise<{ readonly status: number; readonly text: string }>;

/** The most characters of a query's answer. */
const longestAnswer = 100_000;

// No name can be a part of a path that leads elsewhere.
const name = { type: "string", pattern: "^[A-Za-z][A-Za-z0-9_-]{0,99}$" } as const;
const version = {
  type: "string",
  pattern: "^[A-Za-z0-9][A-Za-z0-9_+.-]{0,99}$",
  description: "version or tag, such as 1.0.0 or prod",
} as const;
const ofVersion = { name: { ...name, description: "name of the subgraph" }, version } as const;

/** The tools for what a project has on the server. */
export function projectTools(project: string, ask: AskServer): readonly Tool[] {
  const data = async (from: string, ...asked: Parameters<AskServer>): Promise<ToolAnswer> => {
    const { status, text } = await ask(...asked);
    return status < 400 ? { kind: "data", from, text: visibleJson(text) } : failed(from, status, text);
  };
  const query = async (of: string, body: object): ReturnType<AskServer> => {
    const at = (access: string) => `/api/${access}/${encodeURIComponent(project)}/subgraphs/${of}/gn`;
    const own = await ask("POST", at("private"), body);
    if (own.status !== 404) return own;
    // Its private endpoint may be off, and its public one on.
    const open = await ask("POST", at("public"), body);
    return open.status === 404 ? own : open;
  };

  return [
    {
      ...reading(
        "subgraphs",
        "List subgraphs",
        "Lists the project's subgraphs: versions, tags, how far each is indexed, failures.",
      ),
      input: closed({
        page_size: { type: "integer", minimum: 1, maximum: 200 },
        page_token: { type: "string", maxLength: 500, description: "from the answer before" },
      }),
      run: (input) => data("the project", "GET", `${apiBase}/subgraphs${queryString(input)}`),
    },
    {
      ...reading(
        "subgraph",
        "Show a subgraph",
        "Shows one version: its state, blocks, endpoints, and the reason if it has failed.",
      ),
      input: closed(ofVersion, ["name", "version"]),
      run: (input) => data(pathOf(input), "GET", `${apiBase}/subgraphs/${pathOf(input)}`),
    },
    {
      ...reading(
        "log",
        "Read a subgraph's log",
        "Reads the last lines of a subgraph's log. Its handlers write into it, too.",
      ),
      input: closed({ ...ofVersion, search: { type: "string", maxLength: 200 } }, ["name", "version"]),
      run: ({ search, ...input }) =>
        data(
          `the log of ${pathOf(input)}`,
          "GET",
          `${apiBase}/subgraphs/${pathOf(input)}/logs${queryString({ search })}`,
        ),
    },
    {
      ...reading(
        "schema",
        "Print a schema",
        "Prints the entities of a subgraph and the fields of its queries in GraphQL. Read it before you write a query. With types, it prints these types of the endpoint whole, such as Pool_filter.",
      ),
      input: closed(
        {
          ...ofVersion,
          types: {
            type: "array",
            maxItems: 20,
            items: name,
            description: "names of types to print, such as Query, Pool_filter or Pool_orderBy",
          },
        },
        ["name", "version"],
      ),
      async run({ types, ...input }) {
        const from = `the subgraph ${pathOf(input)}`;
        const { status, text } = await query(pathOf(input), { query: getIntrospectionQuery() });
        const answer = parseJson(text);
        if (status >= 400 || !isRecord(answer) || !isRecord(answer.data)) return failed(from, status, text);
        const schema = buildClientSchema(answer.data as unknown as IntrospectionQuery);
        const printed = Array.isArray(types) ? typesIn(schema, types.map(String)) : entitiesIn(schema);
        if (printed.length <= longestAnswer) return { kind: "data", from, text: printed };
        const why = `The schema has ${printed.length} characters, more than ${longestAnswer}. Name the types that you need: ${entityTypes(
          schema,
        )
          .map((type) => type.name)
          .join(", ")
          .slice(0, longestAnswer / 2)}.`;
        return { kind: "failed", from, text: why };
      },
    },
    {
      ...reading(
        "query",
        "Query a subgraph",
        "Sends a GraphQL query to a subgraph. With block, all fields show the state after that block. A long answer is refused: ask for few entities with first.",
      ),
      input: closed(
        {
          ...ofVersion,
          query: { type: "string", minLength: 1, maxLength: 20_000 },
          variables: { type: "object", maxProperties: 50 },
          block: { type: "integer", minimum: 0, maximum: 2_147_483_647 },
        },
        ["name", "version", "query"],
      ),
      async run({ query: asked, variables, block, ...input }) {
        const from = `the subgraph ${pathOf(input)}`;
        const text = queryAtBlock(String(asked), typeof block === "number" ? block : undefined);
        const answer = await query(pathOf(input), { query: text, ...(isRecord(variables) && { variables }) });
        if (answer.status >= 400) return failed(from, answer.status, answer.text);
        if (answer.text.length <= longestAnswer)
          return { kind: "data", from, text: visibleJson(answer.text) };
        const why = `The answer has ${answer.text.length} characters, more than ${longestAnswer}. Ask for fewer entities with first and skip, or for fewer fields.`;
        return { kind: "failed", text: why };
      },
    },
    {
      ...reading(
        "why",
        "Explain an entity",
        "Shows the history of one entity, newest first: the block and transaction of each version, the fields that changed, and the handler that stored it, with its line in the configuration if that is known. Call it when a value looks wrong.",
      ),
      input: closed(
        {
          ...ofVersion,
          entity: { ...name, description: "type of the entity, as in the schema" },
          id: { type: "string", minLength: 1, maxLength: 1_000 },
          before: {
            type: "string",
            pattern: "^\\d{1,18}$",
            description: "from the answer before, for older versions",
          },
        },
        ["name", "version", "entity", "id"],
      ),
      run: ({ entity, id, before, ...input }) => {
        const of = { name: String(input.name), version: String(input.version), entity: String(entity) };
        const asked = { id: String(id), before: typeof before === "string" ? before : undefined };
        return data(`the subgraph ${pathOf(input)}`, "GET", historyPath(of, asked));
      },
    },
    {
      ...reading("pipelines", "List pipelines", "Lists the project's pipelines with their states."),
      input: closed({}),
      run: () => data("the project", "GET", `${apiBase}/pipelines`),
    },
    {
      ...reading(
        "verify",
        "Verify a pipeline",
        "Begins to compare the sources of a pipeline with its ledger and its sinks. No rows are written. The answer names a task; ask task for its findings.",
      ),
      input: closed({ pipeline: name, sink: { type: "string", maxLength: 100 } }, ["pipeline"]),
      run: ({ pipeline, ...body }) =>
        data(`the pipeline ${pipeline}`, "POST", `${apiBase}/pipelines/${pipeline}/verify`, body),
    },
    {
      ...reading(
        "task",
        "Read a pipeline's task",
        "Reads the state and the findings of a task that verify has begun.",
      ),
      input: closed({ pipeline: name, id: { type: "string", pattern: "^[A-Za-z0-9_-]{1,100}$" } }, [
        "pipeline",
        "id",
      ]),
      run: ({ pipeline, id }) =>
        data(`the pipeline ${pipeline}`, "GET", `${apiBase}/pipelines/${pipeline}/tasks/${id}`),
    },
  ];
}

function reading(toolName: string, title: string, describe: string) {
  return { name: toolName, title, describe, changes: false, isRemote: true } as const;
}

function closed(properties: Readonly<Record<string, object>>, required: readonly string[] = []): InputSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

/** The types of entities, and the types of their fields. */
function entityTypes(schema: GraphQLSchema): readonly GraphQLNamedType[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return Object.values(schema.getTypeMap()).filter(
    (type) =>
      !type.name.startsWith("_") &&
      !roots.some((root) => root?.name === type.name) &&
      !type.name.endsWith("_orderBy") &&
      !["OrderDirection", "Aggregation_interval"].includes(type.name) &&
      (isObjectType(type) || isInterfaceType(type) || isEnumType(type)),
  );
}

/** What most queries need: filters and orders are many times as long. */
function entitiesIn(schema: GraphQLSchema): string {
  const fields = Object.values(schema.getQueryType()?.getFields() ?? {}).map(
    ({ name: field, args, type }) => `#   ${field}(${args.map((arg) => arg.name).join(", ")}): ${type}`,
  );
  const types = entityTypes(schema).map((type) => printType(type));
  return ["# Fields of queries:", ...fields, "", types.join("\n\n")].join("\n");
}

function typesIn(schema: GraphQLSchema, names: readonly string[]): string {
  const printed = names.map((wanted) => {
    const type = schema.getType(wanted);
    return type ? printType(type) : `# There is no type ${wanted}.`;
  });
  return printed.join("\n\n");
}

/** `pools/1.0.0`, as part of a path. */
function pathOf({ name: subgraph, version: label }: Readonly<Record<string, unknown>>): string {
  return `${encodeURIComponent(String(subgraph))}/${encodeURIComponent(String(label))}`;
}

function queryString(fields: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as [string, string]],
  );
  return given.length === 0 ? "" : `?${String(new URLSearchParams(given))}`;
}

/** A refusal, by the sentence of its document. */
function failed(from: string, status: number, text: string): ToolAnswer {
  const document = parseJson(text);
  const detail = isRecord(document) && typeof document.detail === "string" ? document.detail : text;
  return { kind: "failed", from, text: `${detail} (${status})` };
}
