-- What a build brings that is no part of its deployment's id, and so differs between those who deploy the same: what the
-- map shows, and where its mappings come from in a configuration. The files as they were sent.
alter table graphloom.versions add map_facts bytea;
alter table graphloom.versions add config_places bytea;

-- Places in the configuration were kept for whoever shows a deployment, and are one project's.
update graphloom.handler_errors set config_place = null where config_place is not null;
update graphloom.deployments set fatal_error = fatal_error - 'configPlace' where fatal_error is not null;
update graphloom.log_lines set text = regexp_replace(text, '^(Failed in the handler .*, block [0-9]+) \([^()]*\):', '\1:')
  where level = 'error' and text like 'Failed in the handler %';
