import { buildASTSchema, type GraphQLObjectType, type GraphQLSchema, parse } from "graphql";
import { present } from "../../base/invariant.js";
import { type FilterKey, filterKeys } from "./filters.js";
import type { ModelFulltext, ModelType, QueryModel } from "./model.js";
import { type OrderKey, orderKeys } from "./orders.js";
import { printApi } from "./print-api.js";
import { readModel } from "./read-model.js";
import { type RootField, repeatedFields, rootFields } from "./root-fields.js";

/** The queries that clients may send to a deployment, and their meaning. */
export class ApiSchema {
  readonly model: QueryModel;
  /** The schema for introspection. */
  readonly schema: GraphQLSchema;
  readonly root: ReadonlyMap<string, RootField>;
  readonly #filters = new Map<string, ReadonlyMap<string, FilterKey>>();
  readonly #orders = new Map<string, ReadonlyMap<string, OrderKey>>();

  /** @param text the checked text of `schema.graphql` */
  constructor(text: string) {
    this.model = readModel(text);
    this.root = rootFields(this.model);
    const document = parse(printApi(this.model, this.root, repeatedFields(this.model)), {
      noLocation: true,
    });
    this.schema = buildASTSchema(document, { assumeValid: true, assumeValidSDL: true });
  }

  get query(): GraphQLObjectType {
    return present(this.schema.getQueryType(), "every API schema has queries");
  }

  type(name: string): ModelType {
    return present(this.model.types.get(name), `the schema has no type ${name}`);
  }

  /** The meaning of `where` keys for a type. */
  filtersOf(type: ModelType): ReadonlyMap<string, FilterKey> {
    return remembered(this.#filters, type, () => filterKeys(type, this.model));
  }

  /** The meaning of `orderBy` values for a type. */
  ordersOf(type: ModelType): ReadonlyMap<string, OrderKey> {
    return remembered(this.#orders, type, () => orderKeys(type, this.model));
  }

  /** The full-text search with a name. */
  fulltext(name: string): ModelFulltext {
    return present(
      this.model.fulltext.find((one) => one.name === name),
      `the schema has no search ${name}`,
    );
  }
}

function remembered<T extends { readonly key: string }>(
  memory: Map<string, ReadonlyMap<string, T>>,
  type: ModelType,
  make: () => readonly T[],
): ReadonlyMap<string, T> {
  const known = memory.get(type.name);
  if (known) return known;
  const made = new Map(make().map((one) => [one.key, one]));
  memory.set(type.name, made);
  return made;
}
