import type { Rows } from "../changes/rows.js";

/** A transform that is no SQL: makes rows of rows. */
export interface RowTransform {
  /**
   * What rows become: rows with the columns of the transform, in their order.
   * @throws TransformError
   */
  apply(rows: Rows): Promise<Rows>;
  close(): Promise<void>;
}

/** A transform that cannot make rows. */
export class TransformError extends Error {
  override readonly name = "TransformError";
  /** Whether another attempt may succeed. */
  readonly isTemporary: boolean;

  constructor(message: string, isTemporary: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isTemporary = isTemporary;
  }
}
