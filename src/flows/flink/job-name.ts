/** What the names of our jobs begin with. */
export const jobPrefix = "graphloom ";
