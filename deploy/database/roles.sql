-- deploy/database/roles.sql - create the roles and the database. Run it as a superuser, or as a
-- role that may create both. Running it again changes nothing.
--
--   tollgate_owner      owns the tables and migrates
--   tollgate_gateway    has the privileges that a gateway needs
--   tollgate_operator   has the privileges that tollctl needs, except for migrations
--   tollgate_portal     has the privileges that the members portal needs
--
-- The migrations grant these privileges.

SELECT 'CREATE ROLE tollgate_owner LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_owner') \gexec
SELECT 'CREATE ROLE tollgate_gateway LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_gateway') \gexec
SELECT 'CREATE ROLE tollgate_operator LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_operator') \gexec
SELECT 'CREATE ROLE tollgate_portal LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_portal') \gexec

-- A role that is not a superuser, as on a managed server, may create a database only for a role
-- that it is a member of.
SELECT format('GRANT tollgate_owner TO %I', current_user)
 WHERE NOT pg_has_role('tollgate_owner', 'MEMBER') \gexec
SELECT 'CREATE DATABASE tollgate OWNER tollgate_owner'
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'tollgate') \gexec

REVOKE ALL ON DATABASE tollgate FROM PUBLIC;
GRANT CONNECT ON DATABASE tollgate TO tollgate_gateway, tollgate_operator, tollgate_portal;

-- An open transaction could lock accounts, and their calls would fail meanwhile.
ALTER ROLE tollgate_owner SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_gateway SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_operator SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_portal SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_portal SET statement_timeout = '5s';

-- A page's queries finish before parallel workers would start, and calls need the CPUs.
ALTER ROLE tollgate_portal SET max_parallel_workers_per_gather = 0;

-- PostgreSQL would compile queries for the newest rows of a large table, because it cannot estimate
-- how few rows that are. That takes thirty times as long as the query.
ALTER ROLE tollgate_gateway SET jit = off;
ALTER ROLE tollgate_operator SET jit = off;
ALTER ROLE tollgate_portal SET jit = off;
