import type { Methods, Patches } from "./asc-patches.js";

/** The classes of the compiler that signatures are kept with. */
export interface SignatureInternals {
  readonly Program: { readonly prototype: Methods };
  readonly Signature: { readonly prototype: Methods };
}

/** A type of the compiled program. */
interface Type {
  readonly kind: number;
  readonly isReference: boolean;
  readonly classReference: object | null;
  readonly signatureReference: object | null;
}

/** The signature of a function. */
interface Signature {
  readonly id: number;
  readonly thisType: Type | null;
  readonly returnType: Type;
  readonly parameterTypes: readonly Type[];
}

/**
 * Has the compiler find signatures by what they are made of. It compares every new one with all before it, and methods
 * have one for each class: of the minutes that thousands of events took it, that was most. It finds the same ones.
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
      // There are none before.
      program.uniqueSignatures = new SignatureIndex();
      return original.apply(this, args);
    };
  });
}

/**
 * Stands for the list of signatures. To the compiler, which compares a new one with each of the list and takes over the
 * number of an equal one, it is a list with itself as the only one: whichever of all is equal.
 */
class SignatureIndex {
  readonly length = 1;
  /** Number of the signature that was found last. */
  id = 0;
  readonly #alike = new Map<string, Signature[]>();
  readonly #numbers = new Map<object, number>();

  get 0(): SignatureIndex {
    return this;
  }

  /** Whether the compiler has a signature that is equal; its number is `id` then. */
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

  /** The same for equal signatures; some that are not equal may share it. */
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
