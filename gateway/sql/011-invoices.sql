-- gateway/sql/011-invoices.sql - billing details, invoices and credit notes.
--
-- Documents follow the money of an order. A trigger writes them in the transaction that changes the
-- order, so an order and its documents never differ, whatever dies:
-- 1. An order that becomes paid gets one invoice of its total.
-- 2. Refunds and lost disputes get credit notes. An open dispute gets none: nobody knows who wins.
-- 3. A refund that failed later gets an invoice of that amount.
-- 4. A correction of the buyer's details is a credit note of all that is still paid, and a new
--    invoice of that.
--
-- Numbers have no gap and dates rise with them. A portal gives them later (invoice_issue()), under
-- the lock of the series, so that a payment never waits for another one. A rollback gives the
-- number back, because the counter is a row and no sequence.
--
-- Lock order: the order (007-orders.sql), documents, the series.
--
-- billing_version and invoice belong to their account, and are kept when it closes. invoice_series,
-- invoice_number and invoice_skip are in the home database.

-- ---- billing details ----

-- Each change is a new version. An invoice keeps the version that it used.
create table billing_version (
    account_id  uuid not null,
    version     integer not null check (version > 0),
    company     text check (char_length(company) between 1 and 200),
    line1       text check (char_length(line1) between 1 and 200),
    line2       text check (char_length(line2) between 1 and 200),
    postal_code text check (char_length(postal_code) between 1 and 20),
    city        text check (char_length(city) between 1 and 100),
    region      text check (char_length(region) between 1 and 100),
    country     text check (country ~ '^[A-Z]{2}$'), -- ISO 3166-1
    tax_type    text check (tax_type ~ '^[a-z_]{2,20}$'), -- portal/billing/tax-ids.def
    tax_id      text check (char_length(tax_id) between 1 and 40),
    reference   text check (char_length(reference) between 1 and 60), -- the buyer's purchase order number
    made_by     uuid, -- a member, or NULL: the processor's payment page
    at          timestamptz not null,
    primary key (account_id, version),
    check (num_nonnulls(tax_type, tax_id) <> 1),
    check (concat(company, line1, line2, postal_code, city, region, tax_id, reference) !~ '[[:cntrl:]]')
);

-- The newest version of an account; NULL: none.
create function billing_newest(p_account uuid) returns billing_version language sql stable as $$
    select v from billing_version v where v.account_id = p_account order by v.version desc limit 1
$$;

-- The details of a version, without empty ones.
create function billing_details(v billing_version) returns jsonb language sql immutable as $$
    select jsonb_strip_nulls(to_jsonb(v) - array['account_id', 'version', 'made_by', 'at'])
$$;

-- What the register of a version's tax number says, as the processor reports it.
create table tax_check (
    account_id uuid not null,
    version    integer not null, -- of billing_version
    state      text not null check (state in ('pending', 'verified', 'unverified', 'unavailable')),
    customer   text check (char_length(customer) between 1 and 255), -- the processor's object that has
                     -- the number; NULL: it does not have it yet
    made_at    timestamptz not null,
    next_at    timestamptz, -- when the processor is asked next; NULL: never
    primary key (account_id, version)
);
create index tax_check_due on tax_check (next_at) where next_at is not null;

-- Begin the check of a new version's number, or go on with that of the same number in the version
-- before. Only registers of the EU, the UK and Australia are asked.
create function tax_check_begin(before billing_version, v billing_version) returns void language plpgsql as $$
begin
    if v.tax_type in ('eu_vat', 'gb_vat', 'au_abn') then
        insert into tax_check (account_id, version, state, made_at, next_at)
        values (v.account_id, v.version, 'pending', v.at, v.at);
        update tax_check c set state = b.state, customer = b.customer, made_at = b.made_at, next_at = b.next_at
          from tax_check b
         where c.account_id = v.account_id and c.version = v.version
           and b.account_id = v.account_id and b.version = before.version
           and (before.tax_type, before.tax_id) = (v.tax_type, v.tax_id);
    end if;
    update tax_check set next_at = null
     where account_id = v.account_id and version < v.version and next_at is not null;
end $$;

-- Up to p_limit numbers to ask about now, each for one caller. They are due again an hour later.
create function tax_check_due(p_limit integer)
returns table (account_id uuid, version integer, tax_type text, tax_id text, customer text) language sql
security definer set search_path = pg_catalog, public, pg_temp as $$
    update tax_check c set next_at = ledger_now() + interval '1 hour'
      from billing_version v
     where (c.account_id, c.version) in (select d.account_id, d.version from tax_check d
                                          where d.next_at <= ledger_now()
                                          order by d.next_at limit p_limit for update skip locked)
       and v.account_id = c.account_id and v.version = c.version
    returning c.account_id, c.version, v.tax_type, v.tax_id, c.customer
$$;

-- What the processor said: a state, and its object (NULL: as before). After three days a pending
-- number is unavailable. Nothing changes if a newer version has ended the check.
create function tax_check_note(p_account uuid, p_version integer, p_customer text, p_state text) returns void
language sql security definer set search_path = pg_catalog, public, pg_temp as $$
    update tax_check c
       set customer = coalesce(p_customer, c.customer),
           state = case when p_state = 'pending' and e.is_over then 'unavailable' else p_state end,
           next_at = case when p_state = 'pending' and not e.is_over then c.next_at end
      from (select x.made_at <= ledger_now() - interval '3 days' as is_over from tax_check x
             where x.account_id = p_account and x.version = p_version) e
     where c.account_id = p_account and c.version = p_version and c.next_at is not null
$$;

-- Store a new version, unless the newest one has the same details. The caller has locked the
-- account or an order of it. Unknown names in p_details are ignored.
create function billing_add(p_account uuid, p_made_by uuid, p_details jsonb) returns void language plpgsql as $$
declare
    newest billing_version := billing_newest(p_account);
    v      billing_version := jsonb_populate_record(null::billing_version, p_details);
begin
    if billing_details(v) = coalesce(billing_details(newest), '{}') then
        return;
    end if;
    v.account_id := p_account;
    v.version := coalesce(newest.version, 0) + 1;
    v.made_by := p_made_by;
    v.at := ledger_now();
    insert into billing_version select v.*;
    perform tax_check_begin(newest, v);
end $$;

-- Store the details that the member of a session has entered; an empty object removes them from
-- later invoices.
create function billing_save(p_session uuid, p_details jsonb) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    if m.member_id is null then
        return false;
    end if;
    perform billing_add(m.account_id, m.member_id, p_details);
    return true;
end $$;

-- ---- invoices by email ----

-- Addresses that get the documents of an account by email, once somebody who reads that mailbox has
-- opened the link and agreed.
create table billing_email (
    account_id   uuid not null,
    email_key    text not null, -- as in member
    email        text not null check (length(email) between 3 and 254),
    link_id      uuid not null, -- of the newest link
    asked_at     timestamptz not null,
    confirmed_at timestamptz, -- NULL: nothing is sent there
    primary key (account_id, email_key)
);

-- Ask an address to confirm. Its earlier link ends. p_sends: the mailbox may get an email. Returns
-- done; same: it is confirmed; many: three others are there; none: the session has ended.
create function billing_email_add(p_session uuid, p_link uuid, p_email text, p_email_key text, p_sends boolean)
returns text language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    most   constant integer := 3;
    m      member := session_member(p_session);
    now_at timestamptz := ledger_now();
    was    billing_email;
begin
    if m.member_id is null then
        return 'none';
    end if;
    select * into was from billing_email b where b.account_id = m.account_id and b.email_key = p_email_key;
    if was.confirmed_at is not null then
        return 'same';
    elsif was.email_key is null
          and (select count(*) from billing_email b where b.account_id = m.account_id) >= most then
        return 'many';
    end if;
    update link set used_at = now_at where link_id = was.link_id and used_at is null;
    insert into link (link_id, kind, member_id, email, email_key, created_at, expires_at)
    values (p_link, 'invoices', m.member_id, p_email, p_email_key, now_at, now_at + interval '7 days');
    insert into billing_email (account_id, email_key, email, link_id, asked_at)
    values (m.account_id, p_email_key, p_email, p_link, now_at)
        on conflict (account_id, email_key) do update
        set email = excluded.email, link_id = excluded.link_id, asked_at = excluded.asked_at;
    insert into mail (mail_id, member_id, recipient, template, data, link_id, created_at, next_at)
    values (gen_random_uuid(), m.member_id, p_email, case when p_sends then 'invoice-email' else 'none' end,
            jsonb_build_object('by', m.email), p_link, now_at, now_at);
    return 'done';
end $$;

-- Somebody at the address has agreed. Returns done, or used: the link cannot be opened any more.
create function billing_email_confirm(p_link uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    l link := link_open(p_link, 'invoices');
begin
    update link set used_at = ledger_now() where link_id = l.link_id;
    update billing_email b set confirmed_at = ledger_now() where b.link_id = l.link_id;
    return case when found then 'done' else 'used' end;
end $$;

-- Remove an address, by its newest link. False: the session has ended, or it is not there.
create function billing_email_remove(p_session uuid, p_link uuid) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m member := session_member(p_session);
begin
    delete from billing_email b where b.account_id = m.account_id and b.link_id = p_link;
    if not found then
        return false;
    end if;
    update link set used_at = ledger_now() where link_id = p_link and used_at is null;
    return true;
end $$;

-- ---- documents ----

create table invoice (
    account_id   uuid not null,
    invoice_id   uuid not null,
    place        bigint generated always as identity unique, -- in the order of their creation
    order_id     uuid not null,
    step         integer not null, -- 0, 1, 2 … of its order
    kind         text not null check (kind in ('invoice', 'credit_note')),
    reason       text not null check (reason in ('paid', 'refunded', 'restored', 'corrected')),
    refers_to    uuid, -- the invoice that it changes
    is_test      boolean not null, -- no money moved
    order_number bigint not null,
    credits      bigint not null, -- of the order
    version      integer, -- of billing_version
    buyer        jsonb not null, -- its details, with the account's name and its member's email address
    payment      jsonb not null, -- paid_at, ref, card
    taxes        jsonb not null, -- the order's: [{name, percent, amount, reason}]
    net          bigint not null check (net >= 0),
    tax          bigint not null check (tax >= 0),
    total        bigint not null check (total > 0),
    currency     text not null,
    made_at      timestamptz not null,
    series       text, -- NULL until it has its number
    number       bigint,
    name         text, -- of both: INV-2026-000123
    issued_at    timestamptz,
    seller       jsonb, -- {lines, tax_id, note}
    primary key (account_id, invoice_id),
    unique (account_id, order_id, step),
    check (net + tax = total),
    check ((step = 0) = (reason = 'paid') and (refers_to is null) = (reason = 'paid')),
    check (num_nonnulls(series, number, name, issued_at, seller) in (0, 5))
);
create index invoice_place on invoice (account_id, place desc);
create index invoice_unnumbered on invoice (place) where name is null;

-- Nobody changes a document. It gets its number once.
create function invoice_is_final() returns trigger language plpgsql as $$
declare
    late constant text[] := array['series', 'number', 'name', 'issued_at', 'seller'];
begin
    if tg_op = 'UPDATE' and old.name is null and to_jsonb(new) - late = to_jsonb(old) - late then
        return new;
    end if;
    raise exception 'invoices and credit notes cannot be changed';
end $$;
create trigger invoice_is_final before update or delete on invoice
    for each row execute function invoice_is_final();
create trigger invoice_is_kept before truncate on invoice
    for each statement execute function invoice_is_final();

-- A version is never changed, and kept while an invoice has it.
create function billing_is_final() returns trigger language plpgsql as $$
begin
    if tg_op = 'DELETE'
       and not exists (select from invoice i where i.account_id = old.account_id and i.version = old.version) then
        return old;
    end if;
    raise exception 'billing details of an invoice cannot be changed';
end $$;
create trigger billing_is_final before update or delete on billing_version
    for each row execute function billing_is_final();

-- A closed account keeps the details that its invoices have, and no others. It sends no invoices.
create function billing_forget() returns trigger language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
begin
    delete from billing_email b where b.account_id = new.account_id;
    delete from tax_check c where c.account_id = new.account_id;
    delete from billing_version v
     where v.account_id = new.account_id
       and not exists (select from invoice i where i.account_id = v.account_id and i.version = v.version);
    return null;
end $$;
create trigger billing_forget after update of state on account for each row
    when (new.state = 'closed' and old.state <> 'closed') execute function billing_forget();

-- ---- what orders have for their documents ----

-- The lost disputes of the newest facts, if these have them.
create function order_keep_lost() returns trigger language plpgsql as $$
begin
    new.lost := greatest(coalesce((new.facts ->> 'lost')::bigint, new.lost), 0);
    return new;
end $$;
create trigger order_keep_lost before insert or update of facts on purchase_order
    for each row execute function order_keep_lost();

-- What the documents of a paid order add up to, credit notes below 0: its total less what was
-- returned. p_tax: of the whole order. The tax of parts is rounded as a sum, so that the parts of a
-- full refund add up to the tax.
create function invoice_target(o purchase_order, p_tax bigint, out total bigint, out tax bigint)
language sql immutable as $$
    select o.total - r.returned, p_tax - round(p_tax::numeric * r.returned / o.total)::bigint
      from (select least(o.total, o.refunded::numeric + o.lost)::bigint as returned) r
$$;

create function invoice_sums(p_account uuid, p_order uuid, out total bigint, out tax bigint, out steps integer)
language sql stable as $$
    select coalesce(sum(case i.kind when 'invoice' then i.total else -i.total end), 0)::bigint,
           coalesce(sum(case i.kind when 'invoice' then i.tax else -i.tax end), 0)::bigint, count(*)::integer
      from invoice i where i.account_id = p_account and i.order_id = p_order
$$;

-- The invoice of an order that is in force: of its payment, or of the newest correction.
create function invoice_in_force(p_account uuid, p_order uuid) returns invoice language sql stable as $$
    select i from invoice i
     where i.account_id = p_account and i.order_id = p_order and i.kind = 'invoice'
       and i.reason in ('paid', 'corrected')
     order by i.step desc limit 1
$$;

-- ---- writing documents ----

-- Write a document; its net amount is what remains of the total. Returns it.
create function invoice_add(i invoice) returns invoice language plpgsql as $$
begin
    insert into invoice (account_id, invoice_id, order_id, step, kind, reason, refers_to, is_test, order_number, credits,
                         version, buyer, payment, taxes, net, tax, total, currency, made_at)
    values (i.account_id, i.invoice_id, i.order_id, i.step, i.kind, i.reason, i.refers_to, i.is_test, i.order_number,
            i.credits, i.version, i.buyer, i.payment, i.taxes, i.total - i.tax, i.tax, i.total, i.currency,
            ledger_now())
    returning * into i;
    return i;
end $$;

-- The payment of an order, for its documents.
create function invoice_payment(o purchase_order) returns jsonb language sql stable as $$
    select jsonb_strip_nulls(jsonb_build_object('paid_at', to_jsonb(o.paid_at at time zone 'UTC') #>> '{}',
                                                'ref', o.payment_ref, 'card', o.receipt ->> 'card',
                                                'provider', o.provider))
$$;

-- The first invoice of an order. What the buyer told the processor's payment page for the tax
-- becomes a new version of the details first.
create function invoice_first(o purchase_order) returns invoice language plpgsql as $$
declare
    i       invoice;
    details billing_version;
begin
    if o.receipt ? 'billing' then
        begin
            perform billing_add(o.account_id, null, jsonb_build_object(
                'reference', (billing_newest(o.account_id)).reference) || (o.receipt -> 'billing'));
        exception when integrity_constraint_violation or data_exception then
            null; -- a payment never fails because of them; the receipt has them
        end;
    end if;
    details := billing_newest(o.account_id);
    i.account_id := o.account_id;
    i.invoice_id := gen_random_uuid();
    i.order_id := o.order_id;
    i.step := 0;
    i.kind := 'invoice';
    i.reason := 'paid';
    i.is_test := order_is_test(o) is true;
    i.order_number := o.number;
    i.credits := o.credits;
    i.version := details.version;
    i.buyer := coalesce(billing_details(details), '{}') || jsonb_strip_nulls(jsonb_build_object(
        'name', (select a.name from account a where a.account_id = o.account_id),
        'email', (select m.email from member m where m.account_id = o.account_id)));
    i.payment := invoice_payment(o);
    i.taxes := coalesce(nullif(o.facts -> 'taxes', 'null'), '[]');
    i.total := o.total;
    i.tax := least(greatest(coalesce((o.facts ->> 'tax')::bigint, 0), 0), o.total);
    i.currency := coalesce(o.facts ->> 'currency', o.currency);
    return invoice_add(i);
end $$;

-- Write a document that changes an invoice, as a copy of it with these amounts.
create function invoice_change(i invoice, p_step integer, p_kind text, p_reason text, p_total bigint, p_tax bigint)
returns invoice language plpgsql as $$
begin
    i.refers_to := i.invoice_id;
    i.invoice_id := gen_random_uuid();
    i.step := p_step;
    i.kind := p_kind;
    i.reason := p_reason;
    i.total := p_total;
    i.tax := p_tax;
    return invoice_add(i);
end $$;

-- Bring the documents of a paid order to its money. The order is locked: its row was just written.
-- Running this again changes nothing.
create function invoice_settle(o purchase_order) returns void language plpgsql as $$
declare
    opening invoice;
    target  record;
    sums    record;
begin
    select * into opening from invoice i where i.account_id = o.account_id and i.order_id = o.order_id and i.step = 0;
    if opening.invoice_id is null then
        opening := invoice_first(o);
    end if;
    target := invoice_target(o, opening.tax);
    sums := invoice_sums(o.account_id, o.order_id);
    if target.total < sums.total then
        perform invoice_change(invoice_in_force(o.account_id, o.order_id), sums.steps, 'credit_note', 'refunded',
                               sums.total - target.total, sums.tax - target.tax);
    elsif target.total > sums.total then
        perform invoice_change(invoice_in_force(o.account_id, o.order_id), sums.steps, 'invoice', 'restored',
                               target.total - sums.total, target.tax - sums.tax);
    end if;
end $$;

create function invoice_follow() returns trigger language plpgsql as $$
begin
    perform invoice_settle(new);
    return null;
end $$;
create trigger invoice_follow after insert or update of state, total, refunded, facts on purchase_order
    for each row when (new.state = 'paid' and new.total > 0) execute function invoice_follow();

-- ---- corrections ----

-- Why the buyer's details of an invoice cannot be corrected now, as a word; NULL: they can.
--   none      the account does not have it
--   changed   a newer one replaces it
--   refunded  nothing of it is paid any more
--   early     it has no number yet
--   late      its order was invoiced more than 60 days ago
--   many      the order was corrected three times
--   same      the details are those of the invoice
--   country   another country: it decides about the tax
--   tax_id    no tax number, but the buyer owes the tax (reverse charge)
create function invoice_obstacle(p_account uuid, p_invoice uuid) returns text language plpgsql stable
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    i       invoice;
    details jsonb := coalesce(billing_details(billing_newest(p_account)), '{}');
begin
    select * into i from invoice d where d.account_id = p_account and d.invoice_id = p_invoice and d.kind = 'invoice';
    return case
        when i.invoice_id is null then 'none'
        when i.invoice_id <> (invoice_in_force(i.account_id, i.order_id)).invoice_id then 'changed'
        when (invoice_sums(i.account_id, i.order_id)).total = 0 then 'refunded'
        when i.name is null then 'early'
        when (select d.issued_at from invoice d where d.account_id = i.account_id and d.order_id = i.order_id and d.step = 0)
             < ledger_now() - interval '60 days' then 'late'
        when (select count(*) from invoice d where d.account_id = i.account_id and d.order_id = i.order_id
                                               and d.kind = 'invoice' and d.reason = 'corrected') >= 3 then 'many'
        when i.buyer - array['name', 'email'] = details then 'same'
        when i.buyer ->> 'country' <> coalesce(details ->> 'country', '') then 'country'
        when i.taxes @> '[{"reason": "reverse_charge"}]' and not details ? 'tax_id' then 'tax_id' end;
end $$;

-- Correct the buyer's details of an invoice: a credit note of all that is still paid, and a new
-- invoice of that with the newest details. So each replaced invoice and what refers to it add up to
-- 0, and later refunds refer to the new invoice. Returns a word of invoice_obstacle(), none also if
-- the session has ended; or done.
create function invoice_correct(p_session uuid, p_invoice uuid) returns text language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    m       member := session_member(p_session);
    i       invoice;
    details billing_version := billing_newest(m.account_id);
    sums    record;
    outcome text;
begin
    select * into i from invoice d where d.account_id = m.account_id and d.invoice_id = p_invoice;
    perform 1 from purchase_order w
      where w.account_id = i.account_id and w.order_id = i.order_id for no key update;
    outcome := invoice_obstacle(m.account_id, p_invoice);
    if outcome is not null then
        return outcome;
    end if;
    sums := invoice_sums(i.account_id, i.order_id);
    perform invoice_change(i, sums.steps, 'credit_note', 'corrected', sums.total, sums.tax);
    i.version := details.version;
    i.buyer := coalesce(billing_details(details), '{}') || jsonb_strip_nulls(jsonb_build_object(
        'name', i.buyer ->> 'name', 'email', i.buyer ->> 'email'));
    perform invoice_change(i, sums.steps + 1, 'invoice', 'corrected', sums.total, sums.tax);
    return 'done';
end $$;

-- ---- numbers ----

-- A series begins with 1 each year.
create table invoice_series (
    series  text primary key, -- INV-2026
    next    bigint not null check (next > 0), -- the next number
    last_at timestamptz not null -- of the newest document
);
-- The numbers that were given out.
create table invoice_number (
    series     text not null,
    number     bigint not null,
    invoice_id uuid not null unique,
    account_id uuid not null,
    issued_at  timestamptz not null,
    primary key (series, number)
);
-- Numbers that the operator has skipped, because they were given out before a restore.
create table invoice_skip (
    series text not null,
    first  bigint not null,
    next   bigint not null check (next > first), -- the first number that was not skipped
    actor  text not null,
    at     timestamptz not null,
    primary key (series, first)
);

-- The name of a number: at least six digits.
create function invoice_name(p_series text, p_number bigint) returns text language sql immutable as $$
    select p_series || '-' || lpad(p_number::text, greatest(6, length(p_number::text)), '0')
$$;

-- Take the next number of a series for a document, at a time. The series stays locked until the end
-- of the transaction. The date is never before that of the number before it.
create function invoice_take(p_series text, i invoice, p_at timestamptz) returns invoice_number language sql as $$
    with taken as (
        insert into invoice_series as s (series, next, last_at) values (p_series, 2, p_at)
            on conflict (series) do update set next = s.next + 1, last_at = greatest(s.last_at, excluded.last_at)
        returning s.next - 1 as number, s.last_at
    )
    insert into invoice_number (series, number, invoice_id, account_id, issued_at)
    select p_series, t.number, i.invoice_id, i.account_id, t.last_at from taken t
    returning *
$$;

-- Give up to p_limit documents their numbers, in the order of their creation. p_series begins the
-- number of an invoice; credit notes have CN, and documents without money have TEST. p_seller: see
-- the column. Returns the documents that got a number. Two portals at once wait for each other. One
-- time decides about the year of the series and the date; it is never before that of the invoice
-- that a document changes.
create function invoice_issue(p_series text, p_seller jsonb, p_limit integer) returns uuid[] language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    i    invoice;
    n    invoice_number;
    at   timestamptz;
    done uuid[] := '{}';
begin
    if p_series !~ '^[A-Z][A-Z0-9]{0,11}$' or p_series in ('CN', 'TEST') then
        raise exception 'invoices cannot have the series %', p_series;
    end if;
    for i in select * from invoice d where d.name is null order by d.place limit p_limit for no key update loop
        at := greatest(ledger_now(), (select r.issued_at from invoice r
                                       where r.account_id = i.account_id and r.invoice_id = i.refers_to));
        n := invoice_take(case when i.is_test then 'TEST' when i.kind = 'invoice' then p_series else 'CN' end
                          || to_char(at at time zone 'UTC', '-YYYY'), i, at);
        update invoice set series = n.series, number = n.number, name = invoice_name(n.series, n.number),
                           issued_at = n.issued_at, seller = p_seller
         where account_id = i.account_id and invoice_id = i.invoice_id;
        done := done || i.invoice_id;
    end loop;
    return done;
end $$;

-- Let the next number of a series be p_next. False: it would not be higher than now.
create function invoice_skip_to(p_series text, p_next bigint, p_actor text) returns boolean language plpgsql
security definer set search_path = pg_catalog, public, pg_temp as $$
declare
    s invoice_series;
begin
    if p_series !~ '^[A-Z][A-Z0-9]{0,11}-[0-9]{4}$' then
        raise exception 'a series is like INV-2026';
    end if;
    insert into invoice_series (series, next, last_at) values (p_series, 1, ledger_now()) on conflict do nothing;
    select * into s from invoice_series w where w.series = p_series for update;
    if s.next >= p_next then
        return false;
    end if;
    insert into invoice_skip (series, first, next, actor, at) values (p_series, s.next, p_next, p_actor, ledger_now());
    update invoice_series set next = p_next where series = p_series;
    return true;
end $$;

-- ---- for programs ----

-- The documents of an account for a gateway, newest first, if the token is one of the account's.
-- p_from and p_to: of issue; NULL: any, also without a number. p_before: the place of the last
-- document before.
create function invoice_find(p_account uuid, p_digest bytea, p_from timestamptz, p_to timestamptz, p_before bigint,
                             p_limit integer)
returns table (place bigint, id uuid, number text, kind text, reason text, issued_at timestamptz, refers_to text,
               refers_to_id uuid, order_id uuid, order_number bigint, credits bigint, is_part boolean, currency text,
               net bigint, tax bigint, total bigint, taxes json, buyer json, seller json, payment json, is_test boolean)
language sql stable security definer set search_path = pg_catalog, public, pg_temp as $$
    select i.place, i.invoice_id, i.name, i.kind, i.reason, i.issued_at, r.name, r.invoice_id, i.order_id,
           i.order_number, i.credits, i.total <> f.total, i.currency, i.net, i.tax, i.total,
           (select coalesce(jsonb_agg(t.tax - 'amount' order by t.nth), '[]')
              from jsonb_array_elements(i.taxes) with ordinality t (tax, nth))::json,
           i.buyer::json, i.seller::json,
           (i.payment || jsonb_build_object('paid_at', (i.payment ->> 'paid_at') || 'Z'))::json, i.is_test
      from invoice i
      join invoice f on f.account_id = i.account_id and f.order_id = i.order_id and f.step = 0
      left join invoice r on r.account_id = i.account_id and r.invoice_id = i.refers_to
     where i.account_id = p_account and i.place < p_before
       and (p_from is null or i.issued_at >= p_from) and (p_to is null or i.issued_at < p_to)
       and exists (select from token t where t.account_id = p_account and t.digest = p_digest)
     order by i.place desc limit least(p_limit, 201)
$$;

-- ---- verification ----

-- Invariant 15, of each account: find paid orders whose documents do not add up to their money or
-- that have not one invoice in force, documents without a paid order, and documents whose number is
-- another one's.
create function invoices_verify(p_after uuid, p_until uuid) returns table (account_id uuid, detail text)
language sql stable as $$
    select coalesce(o.account_id, d.account_id),
           format('order %s has documents of %s with %s tax, %s of them in force; expected %s with %s tax',
                  coalesce(o.order_id, d.order_id), coalesce(d.total, 0), coalesce(d.tax, 0), coalesce(d.in_force, 0),
                  coalesce(t.total, 0), coalesce(t.tax, 0))
      from (select w as o, w.account_id, w.order_id from purchase_order w
             where w.account_id > p_after and w.account_id <= p_until and w.state = 'paid' and w.total > 0) o
      full join (select i.account_id, i.order_id, max(i.tax) filter (where i.step = 0) as whole_tax,
                        sum(case i.kind when 'invoice' then i.total else -i.total end) as total,
                        sum(case i.kind when 'invoice' then i.tax else -i.tax end) as tax,
                        count(*) = max(i.step) + 1 as is_whole,
                        sum(case when i.reason not in ('paid', 'corrected') then 0
                                 when i.kind = 'invoice' then 1 else -1 end) as in_force
                   from invoice i where i.account_id > p_after and i.account_id <= p_until group by 1, 2) d
           on d.account_id = o.account_id and d.order_id = o.order_id
      left join lateral invoice_target(o.o, d.whole_tax) t on o.order_id is not null
     where (d.total, d.tax, d.in_force, d.is_whole) is distinct from (t.total, t.tax, 1, true)
    union all
    select coalesce(i.account_id, n.account_id),
           format('invoice %s is %s, but its number is %s', coalesce(i.invoice_id, n.invoice_id),
                  coalesce(i.name, 'without a number'), coalesce(invoice_name(n.series, n.number), 'not given out'))
      from (select * from invoice w where w.account_id > p_after and w.account_id <= p_until) i
      full join (select * from invoice_number w where w.account_id > p_after and w.account_id <= p_until) n
           on n.invoice_id = i.invoice_id and n.account_id = i.account_id
     where (i.series, i.number, i.issued_at, i.name)
           is distinct from (n.series, n.number, n.issued_at, invoice_name(n.series, n.number))
$$;

-- Invariant 15, of each series: find numbers that are missing, and dates that fall.
create function invoices_verify_series() returns table (account_id uuid, detail text) language sql stable as $$
    select null::uuid, format('series %s has %s numbers below %s', s.series, g.given, s.next)
      from invoice_series s
     cross join lateral (select (select count(*) from invoice_number n
                                  where n.series = s.series and n.number between 1 and s.next - 1)
                                + (select coalesce(sum(k.next - k.first), 0) from invoice_skip k
                                    where k.series = s.series) as given,
                                (select count(*) from invoice_number n
                                  where n.series = s.series and n.number >= s.next) as beyond) g
     where g.given <> s.next - 1 or g.beyond > 0
    union all
    select n.account_id, format('%s is dated before the document before it', invoice_name(n.series, n.number))
      from (select w.*, lag(w.issued_at) over (partition by w.series order by w.number) as before
              from invoice_number w) n
     where n.issued_at < n.before
$$;

-- ---- rights ----

revoke execute on all functions in schema public from public;
grant select on billing_version, billing_email, tax_check, invoice to tollgate_portal, tollgate_operator;
grant execute on function billing_email_add(uuid, uuid, text, text, boolean), billing_email_confirm(uuid),
    billing_email_remove(uuid, uuid), billing_save(uuid, jsonb), invoice_issue(text, jsonb, integer), invoice_correct(uuid, uuid),
    invoice_obstacle(uuid, uuid), tax_check_due(integer), tax_check_note(uuid, integer, text, text) to tollgate_portal;
grant execute on function invoice_find(uuid, bytea, timestamptz, timestamptz, bigint, integer) to tollgate_gateway;
grant select on invoice_series, invoice_number, invoice_skip to tollgate_operator;
grant execute on function invoice_skip_to(text, bigint, text), invoice_name(text, bigint),
    invoice_target(purchase_order, bigint), invoices_verify(uuid, uuid), invoices_verify_series() to tollgate_operator;
