/** Options for validating with our own schemas. Validating the schemas too would take longer than compiling them. */
export const ownSchemas = { strict: false, validateSchema: false } as const;
