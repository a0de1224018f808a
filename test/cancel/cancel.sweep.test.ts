// The same over Postgres.
await import('./cancel.test.ts')
