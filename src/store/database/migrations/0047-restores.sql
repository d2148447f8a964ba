-- Of a restore that a client sends to the server piece by piece: its project, and the metadata and the schema of the
-- dump as JSON. Null for one by a command, which reads them from the folder.
alter table graphloom.restores add project text, add texts text;
