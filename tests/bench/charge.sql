-- tests/bench/charge.sql - the reference for all ratios: one bare charge in one transaction, run by
-- pgbench.
\set id random(1, :accounts)
BEGIN;
UPDATE bench.balance SET posted = posted - 1, seq = seq + 1 WHERE id = :id AND posted >= 1;
INSERT INTO bench.entry SELECT id, seq, -1, posted, now() FROM bench.balance WHERE id = :id;
COMMIT;
