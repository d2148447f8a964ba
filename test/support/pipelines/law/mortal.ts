/** Called before each request to the outside, and after it. */
export type Step = () => void;

/**
 * A port whose calls are steps, also those of what it opens and of what it gives to functions. A process that ends at a
 * step has made requests before it, and none after it.
 */
export function stepping<Port extends object>(port: Port, step: Step): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return (...given: readonly unknown[]): unknown => {
        step();
        const result: unknown = value.apply(
          target,
          given.map((one) => (typeof one === "function" ? tellingSteps(one, step) : one)),
        );
        if (!(result instanceof Promise)) return result;
        return result.then((found: unknown) => {
          step();
          return found;
        });
      };
    },
  });
}

/** A function whose first argument is a port, such as the work of a transaction. */
function tellingSteps(work: object, step: Step): unknown {
  return (first: unknown, ...rest: readonly unknown[]): unknown => {
    const given = typeof first === "object" && first !== null ? stepping(first, step) : first;
    return Reflect.apply(work as (...given: readonly unknown[]) => unknown, undefined, [given, ...rest]);
  };
}
