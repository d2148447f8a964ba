import type { Methods, Patches } from "./asc-patches.js";

/** The compiler's classes that store signatures. */
export interface SignatureInternals {
  readonly Program: { readonly prototype: Methods };
  readonly Signature: { readonly prototype: Methods };
}

interface Type {
  readonly kind: number;
  readonly isReference: boolean;
  readonly classReference: object | null;
  readonly signatureReference: object | null;
}

interface Signature {
  readonly id: number;
  readonly thisType: Type | null;
  readonly returnType: Type;
  readonly parameterTypes: readonly Type[];
}

/**
 * Indexes the compiler's signatures. The compiler compares every new signature with all existing ones, and methods
 * have one per class: with thousands of events, this took most of several minutes. The output is unchanged.
 */
export function indexSignatures({ Program, Signature }: SignatureInternals, patches: Patches): void {
  if (!Signature.prototype.equals || !Program.prototype.initialize) return;
  patches.wrap(Signature.prototype, "equals", (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const [other] = args;
      if (!(other instanceof SignatureIndex)) return original.apply(this, args);
      return other.find(this as Signature, (known) => original.call(this, known) === true);
    };
  });
  patches.wrap(Program.prototype, "initialize", (original) => {
    return function (this: unknown, ...args: unknown[]): unknown {
      const program = this as { uniqueSignatures: readonly Signature[] | SignatureIndex };
      // No signatures exist yet.
      program.uniqueSignatures = new SignatureIndex();
      return original.apply(this, args);
    };
  });
}

/**
 * Replaces the list of signatures. The compiler compares a new signature with each item of the list and uses the id
 * of an equal one. To the compiler, this object is a list whose only item is the object itself, which equals every
 * known signature.
 */
class SignatureIndex {
  readonly length = 1;
  /** Id of the last signature found. */
  id = 0;
  readonly #alike = new Map<string, Signature[]>();
  readonly #numbers = new Map<object, number>();

  get 0(): SignatureIndex {
    return this;
  }

  /** Whether an equal signature exists; if so, sets `id`. */
  find(wanted: Signature, isEqual: (known: Signature) => boolean): boolean {
    const found = this.#alike.get(this.#key(wanted))?.find(isEqual);
    if (found) this.id = found.id;
    return found !== undefined;
  }

  push(signature: Signature): void {
    const key = this.#key(signature);
    const alike = this.#alike.get(key);
    if (alike) alike.push(signature);
    else this.#alike.set(key, [signature]);
  }

  /** Equal signatures have the same key; different ones may share a key. */
  #key({ thisType, returnType, parameterTypes }: Signature): string {
    return [thisType, returnType, ...parameterTypes].map((type) => (type ? this.#typeKey(type) : "")).join();
  }

  #typeKey({ kind, isReference, classReference, signatureReference }: Type): string {
    const referred = isReference ? (classReference ?? signatureReference) : null;
    return referred ? `${kind} ${this.#numberOf(referred)}` : String(kind);
  }

  #numberOf(thing: object): number {
    const number = this.#numbers.get(thing) ?? this.#numbers.size;
    this.#numbers.set(thing, number);
    return number;
  }
}
