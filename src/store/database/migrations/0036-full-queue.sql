-- A full queue of notifications was taken for a failure of the subgraph, for good. Such a block is now retried.
update graphloom.deployments set fatal_error = null
  where fatal_error ->> 'message' like 'too many notifications in the NOTIFY queue%' and fatal_error -> 'block' is null;
