# SPDX-License-Identifier: Apache-2.0
"""Faults that a test plants in the database of a ledger. The program is as users have it."""

# A change waits at its end, with all rows in place: the moment for a fault.
SLOW = ("CREATE FUNCTION wait_here() RETURNS trigger LANGUAGE plpgsql AS "
        "$$BEGIN PERFORM pg_sleep({}); RETURN NEW; END$$; "
        "CREATE TRIGGER slow AFTER INSERT ON segments FOR EACH STATEMENT "
        "EXECUTE FUNCTION wait_here()")
# A question before each change takes its time, so that two writers meet there.
SLOW_READING = ("ALTER TABLE limits RENAME TO real_limits; CREATE FUNCTION slowly() RETURNS SETOF "
                "real_limits LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(0.7); RETURN QUERY "
                "SELECT * FROM real_limits; END$$; CREATE VIEW limits AS SELECT * FROM slowly()")
# Functions that come before PostgreSQL's own in a search path that says so.
NO_LOCK = ("CREATE FUNCTION pg_try_advisory_lock(bigint) RETURNS boolean LANGUAGE sql AS "
           "'SELECT true'; CREATE FUNCTION pg_advisory_unlock(bigint) RETURNS boolean "
           "LANGUAGE sql AS 'SELECT true'")
NO_FENCE = ("CREATE FUNCTION same_writer() RETURNS trigger LANGUAGE plpgsql AS "
            "$$BEGIN NEW.writer := 1; RETURN NEW; END$$; "
            "CREATE TRIGGER fence BEFORE UPDATE ON sotto_store FOR EACH ROW "
            "EXECUTE FUNCTION same_writer()")
FAULTY_PATH = "&options=-csearch_path%3Dpublic%2Cpg_catalog"
BETTER_MATCH = ("CREATE FUNCTION hashtextextended(name, integer) RETURNS bigint LANGUAGE plpgsql AS "
                "$$BEGIN RETURN 7; END$$")
