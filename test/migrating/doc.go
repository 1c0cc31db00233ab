// Package migrating has the tests of docs/migrating.md. Each takes the steps of a migration in
// their order, on a real MariaDB, with writers of the old and the new keys side by side as in a
// rolling update, and looks after each step for duplicate keys and at what readers see. Others
// leave a step out, or change the order, and show what goes wrong.
//
// Old keys are made by bwmarrin/snowflake and sony/sonyflake themselves; those of UidGenerator and
// Leaf, which are programs in Java, by their layouts and, where they use a database, by their
// statements.
package migrating
