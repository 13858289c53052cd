-- For Citus, not run on Citus yet: every table of athletes' data is distributed by the person, the others are on every
-- machine. On the coordinator, in the database of Coachboard at the newest schema, while Coachboard is stopped:
--   CREATE EXTENSION citus;
--   psql --set ON_ERROR_STOP=1 --file deploy/distribute.sql coachboard

BEGIN;

SELECT create_reference_table('counters');
SELECT create_reference_table('makers');
SELECT create_reference_table('queued_mails');
SELECT create_reference_table('users');
SELECT create_reference_table('workspaces');
SELECT create_reference_table('directory');
SELECT create_reference_table('invitations');
SELECT create_reference_table('keys');
SELECT create_reference_table('library_workouts');
SELECT create_reference_table('members');
SELECT create_reference_table('training_plans');
SELECT create_reference_table('athlete_groups');
SELECT create_reference_table('feeds');
SELECT create_reference_table('plan_uses');

SELECT create_distributed_table('activities', 'user_id');
SELECT create_distributed_table('athlete_settings', 'user_id');
SELECT create_distributed_table('comments', 'user_id');
SELECT create_distributed_table('events', 'user_id');
SELECT create_distributed_table('intervals_accounts', 'user_id');
SELECT create_distributed_table('jobs', 'user_id');
SELECT create_distributed_table('metrics', 'user_id');
SELECT create_distributed_table('notes', 'user_id');
SELECT create_distributed_table('plan_batches', 'user_id');
SELECT create_distributed_table('plan_changes', 'user_id');
SELECT create_distributed_table('prescriptions', 'user_id');
SELECT create_distributed_table('recordings', 'user_id');
SELECT create_distributed_table('sleeps', 'user_id');
SELECT create_distributed_table('stamps', 'user_id');
SELECT create_distributed_table('job_files', 'user_id');
SELECT create_distributed_table('recipes', 'user_id');
SELECT create_distributed_table('streams', 'user_id');
SELECT create_distributed_table('unread_comments', 'user_id');

COMMIT;
