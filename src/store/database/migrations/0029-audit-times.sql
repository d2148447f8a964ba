-- Finds the actions of a period in a long log.
create index audit_project_at_idx on graphloom.audit (project, at);
