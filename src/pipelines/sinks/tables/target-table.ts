export interface TargetTable {
  /** In MySQL, the database. */
  readonly schema: string;
  readonly name: string;
}

/** The name of a table for messages. */
export function tableText({ schema, name }: TargetTable): string {
  return `${schema}.${name}`;
}
