-- Roles of hosted sinks connect to their own database, and to no other.
revoke connect, temporary on database postgres, template1, graphloom from public;
