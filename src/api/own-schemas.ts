/** Options of a judge of our own schemas: to judge the schemas, too, would take longer than to compile them. */
export const ownSchemas = { strict: false, validateSchema: false } as const;
