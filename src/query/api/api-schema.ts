import { buildASTSchema, type GraphQLObjectType, type GraphQLSchema, parse } from "graphql";
import { present } from "../../base/invariant.js";
import { type FilterKey, filterKeys } from "./filters.js";
import type { ModelFulltext, ModelType, QueryModel } from "./model.js";
import { type OrderKey, orderKeys } from "./orders.js";
import { printApi } from "./print-api.js";
import { readModel } from "./read-model.js";
import { type RootField, repeatedFields, rootFields } from "./root-fields.js";

/** What clients may ask of a deployment, and what it means. */
export class ApiSchema {
  readonly model: QueryModel;
  /** As introspection tells it. */
  readonly schema: GraphQLSchema;
  readonly root: ReadonlyMap<string, RootField>;
  readonly #filters = new Map<string, ReadonlyMap<string, FilterKey>>();
  readonly #orders = new Map<string, ReadonlyMap<string, OrderKey>>();

  /** @param text of `schema.graphql`, which has been checked before */
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

  /** What keys of `where` mean for a type. */
  filtersOf(type: ModelType): ReadonlyMap<string, FilterKey> {
    return remembered(this.#filters, type, () => filterKeys(type, this.model));
  }

  /** What values of `orderBy` mean for a type. */
  ordersOf(type: ModelType): ReadonlyMap<string, OrderKey> {
    return remembered(this.#orders, type, () => orderKeys(type, this.model));
  }

  /** The search of a name. */
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
