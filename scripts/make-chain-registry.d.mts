/** The text of the data file, made of the registry that is installed. */
export function chainRegistry(): string;
