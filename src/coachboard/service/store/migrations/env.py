"""How alembic reaches the store: over the connection that `engine.migrate` hands it."""

from alembic import context

attributes = context.config.attributes
context.configure(connection=attributes["connection"], target_metadata=attributes["metadata"])
with context.begin_transaction():
    context.run_migrations()
