import type { Store } from "../../../src/runtime/store/store.js";

/** An asynchronous store. */
export function slow(store: Store): Store {
  const {
    getNow: _,
    relatedNow: __,
    ...methods
  } = {
    head: () => store.head(),
    get: (type: string, id: string) => store.get(type, id),
    related: (type: string, field: string, id: string) => store.related(type, field, id),
    commit: (...args: Parameters<Store["commit"]>) => store.commit(...args),
    revert: (...args: Parameters<Store["revert"]>) => store.revert(...args),
    dataSources: () => store.dataSources(),
    recentBlocks: (count: number) => store.recentBlocks(count),
    all: (...args: Parameters<Store["all"]>) => store.all(...args),
    changes: (...args: Parameters<Store["changes"]>) => store.changes(...args),
    current: (...args: Parameters<Store["current"]>) => store.current(...args),
    counts: () => store.counts(),
    getNow: undefined,
    relatedNow: undefined,
  };
  return methods;
}
