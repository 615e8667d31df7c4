-- gateway/sql/008-roots.sql - signed roots over the heads of all accounts, and
-- their inclusion proofs.
--
-- `tollctl ledger root` signs a root and appends it to a file outside the database. That file is
-- the evidence: `tollctl verify --against` trusts nothing in this database. The tables here let the
-- portal make proofs of entries. A proof made from changed rows does not pass its check.

create table ledger_root (
    root_at    timestamptz primary key,
    line       text not null,  -- of the root file
    public_key bytea not null  -- of its signature: SubjectPublicKeyInfo in DER
);

-- The path from the leaf of an account to a root: for each account whose head has changed since it
-- had a path.
create table ledger_proof (
    account_id uuid not null references account,
    seq        bigint not null check (seq > 0), -- the entry that was the account's head
    root_at    timestamptz not null references ledger_root,
    leaf       bigint not null check (leaf >= 0), -- its index in the tree
    path       bytea not null check (octet_length(path) % 32 = 0), -- hashes, the leaf's neighbor first
    primary key (account_id, seq)
);

-- Store a root, and paths to it. If a run stops in between, the next run stores paths to a newer
-- root.
create function ledger_root_add(p_at timestamptz, p_line text, p_key bytea) returns void language sql
security definer set search_path = public, pg_temp as $$
    insert into ledger_root (root_at, line, public_key) values (p_at, p_line, p_key)
$$;

create function ledger_proofs_add(p_at timestamptz, p_account uuid[], p_seq bigint[], p_leaf bigint[], p_path bytea[])
returns void language sql security definer set search_path = public, pg_temp as $$
    insert into ledger_proof (account_id, seq, root_at, leaf, path)
    select i.account_id, i.seq, p_at, i.leaf, i.path
      from unnest(p_account, p_seq, p_leaf, p_path) as i (account_id, seq, leaf, path)
        on conflict do nothing
$$;

-- ---- rights ----

revoke execute on all functions in schema public from public;
grant select on ledger_root, ledger_proof to tollgate_operator, tollgate_portal;
grant execute on function
    chain_start(),
    entry_record(uuid, bigint, smallint, bigint, bigint, uuid, smallint, uuid, timestamptz) to tollgate_portal;
grant execute on function
    ledger_root_add(timestamptz, text, bytea),
    ledger_proofs_add(timestamptz, uuid[], bigint[], bigint[], bytea[]) to tollgate_operator;
