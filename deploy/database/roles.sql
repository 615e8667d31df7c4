-- deploy/database/roles.sql - the roles and the database, made by the cluster's superuser, or by who may make both.
-- tollgate_owner migrates and owns the tables; tollgate_gateway gets from the migrations what a
-- gateway needs and nothing else, tollgate_operator what tollctl needs for all but migrations,
-- tollgate_portal what the members portal needs.
-- Running it again changes nothing.

SELECT 'CREATE ROLE tollgate_owner LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_owner') \gexec
SELECT 'CREATE ROLE tollgate_gateway LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_gateway') \gexec
SELECT 'CREATE ROLE tollgate_operator LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_operator') \gexec
SELECT 'CREATE ROLE tollgate_portal LOGIN'
 WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'tollgate_portal') \gexec

-- Who is no superuser, as on a managed server, makes a database only for a role that he is a member of.
SELECT format('GRANT tollgate_owner TO %I', current_user)
 WHERE NOT pg_has_role('tollgate_owner', 'MEMBER') \gexec
SELECT 'CREATE DATABASE tollgate OWNER tollgate_owner'
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'tollgate') \gexec

REVOKE ALL ON DATABASE tollgate FROM PUBLIC;
GRANT CONNECT ON DATABASE tollgate TO tollgate_gateway, tollgate_operator, tollgate_portal;

-- A transaction that somebody left open would hold accounts, whose calls are refused meanwhile.
ALTER ROLE tollgate_owner SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_gateway SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_operator SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_portal SET idle_in_transaction_session_timeout = '1min';
ALTER ROLE tollgate_portal SET statement_timeout = '5s';

-- What a page asks is answered sooner by one process than others are started, and processors are for calls.
ALTER ROLE tollgate_portal SET max_parallel_workers_per_gather = 0;
